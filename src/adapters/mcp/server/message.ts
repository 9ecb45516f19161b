import { randomUUID } from 'node:crypto'
import { parseJSONRPCMessage, type JSONRPCMessage } from '@modelcontextprotocol/server'
import {
  hasTooManyValues,
  isTooDeep,
  MAX_JSON_DEPTH,
  MAX_JSON_VALUES,
  isJsonObject,
  parseJson,
  type Json,
  type JsonObject,
  safeJson,
} from '../../../lib/json.ts'

/** Codes of JSON-RPC 2.0, section 5.1; `REFUSED` is the first of those that it leaves to servers. */
const PARSE_ERROR = -32_700
export const INVALID_REQUEST = -32_600
export const REFUSED = -32_000

/** What a request is answered with if it cannot be served; `id` is null if the request has none that can be read. */
export class MessageError extends Error {
  override readonly name = 'MessageError'
  readonly code: number
  readonly id: string | number | null

  constructor(code: number, message: string, id: string | number | null = null) {
    super(message)
    this.code = code
    this.id = id
  }
}

/**
 * Reads a message of a client; the SDK checks the rest of its form. Null is absent in its params and in the
 * arguments of a call. Throws `MessageError`.
 */
export function readMessage(text: string): JsonObject {
  if (hasTooManyValues(text)) throw new MessageError(INVALID_REQUEST, TOO_MANY, idIn(text))
  let value: Json
  try {
    value = parseJson(text)
  } catch {
    throw new MessageError(PARSE_ERROR, 'this is no message in JSON')
  }
  if (!isJsonObject(value))
    throw new MessageError(INVALID_REQUEST, 'send each message by itself, as an object')
  if (isTooDeep(value))
    throw new MessageError(
      INVALID_REQUEST,
      `a message is nested at most ${MAX_JSON_DEPTH} levels deep`,
      idOf(value),
    )
  return withoutNulls(value)
}

/** The id of a request; null if it is none, since the client would take the error for an answer to its own request. */
function idOf({ id, method }: JsonObject): string | number | null {
  return typeof method === 'string' && (typeof id === 'string' || typeof id === 'number') ? id : null
}

function withoutNulls(message: JsonObject): JsonObject {
  const { params, ...rest } = message
  if (params === undefined || params === null) return rest
  if (!isJsonObject(params)) return message
  const { arguments: given } = params
  return { ...rest, params: present(isJsonObject(given) ? { ...params, arguments: present(given) } : params) }
}

const present = (object: JsonObject): JsonObject =>
  Object.fromEntries(Object.entries(object).filter(([, value]) => value !== null))

/** Bytes of a message on a pipe. */
const MAX_BYTES = 1_048_576

const TOO_MANY = `a message has at most ${MAX_JSON_VALUES} keys and values`
const TOO_LONG = `a message has at most ${MAX_BYTES} bytes, on a line of its own; send less at once`

/** A line of a client on a pipe. */
export interface Line {
  readonly bytes: Uint8Array
  /** The line is longer than `MAX_BYTES`: these are its first and last bytes. */
  readonly isCut: boolean
}

/** Bytes kept of each end of a line that is too long: clients write the id first or last. */
const CUT_BYTES = 256

const LF = 10

/** The lines of an input, without their ends. */
export async function* linesOf(input: AsyncIterable<Uint8Array>): AsyncGenerator<Line> {
  let parts: Uint8Array[] = []
  let size = 0
  function add(part: Uint8Array): void {
    parts.push(part)
    size += part.length
    if (size <= MAX_BYTES) return
    const all = Buffer.concat(parts)
    parts = [all.subarray(0, CUT_BYTES), all.subarray(CUT_BYTES).subarray(-CUT_BYTES)].map((end) =>
      Buffer.from(end),
    )
  }
  function end(): Line {
    const line = { bytes: Buffer.concat(parts), isCut: size > MAX_BYTES }
    parts = []
    size = 0
    return line
  }
  for await (const chunk of input) {
    let from = 0
    for (let at = chunk.indexOf(LF); at >= 0; at = chunk.indexOf(LF, from)) {
      add(chunk.subarray(from, at))
      from = at + 1
      yield end()
    }
    add(chunk.subarray(from))
  }
  yield end()
}

/** The id at the beginning or the end of a request. */
const FIRST_ID = /^\s*\{(?:\s*"jsonrpc"\s*:\s*"2\.0"\s*,)?\s*"id"\s*:\s*(?<id>-?\d+|"[\w:.-]*")\s*,/
const LAST_ID = /,\s*"id"\s*:\s*(?<id>-?\d+|"[\w:.-]*")\s*\}\s*$/

/** The id of a request that is not parsed, with its digits as they are; null if it stands elsewhere. */
function idIn(text: string): string | number | null {
  const found = FIRST_ID.exec(text.slice(0, CUT_BYTES)) ?? LAST_ID.exec(text.slice(-CUT_BYTES))
  const id = found?.groups?.['id']
  if (id === undefined) return null
  return id.startsWith('"') ? id.slice(1, -1) : TAG + id
}

/** Reads a line; undefined if it is blank. Throws `MessageError`. */
export function parseLine({ bytes, isCut }: Line): JSONRPCMessage | undefined {
  const text = new TextDecoder().decode(bytes)
  if (isCut) throw new MessageError(INVALID_REQUEST, TOO_LONG, idIn(text))
  if (text.trim() === '') return undefined
  const message = readMessage(text)
  try {
    return parseJSONRPCMessage(/\d{16}/.test(text) ? withExactIds(message, text) : message)
  } catch {
    throw new MessageError(INVALID_REQUEST, 'this is no message of JSON-RPC 2.0', idOf(message))
  }
}

/** A message as a line, with ids as they came. */
export const writeLine = (message: object): string => `${safeJson(message).replaceAll(TAGGED_ID, '$1')}\n`

/** Stands before the digits of an id that JavaScript would round; `writeLine` takes it away. No client can guess it. */
const TAG = `${randomUUID()}:`
const TAGGED_ID = new RegExp(`"${TAG}(-?\\d+)"`, 'g')
const ID_DIGITS = /"(?:id|requestId|progressToken)"\s*:\s*(-?\d+)/g

/** The message with each id beyond 2^53 as its digits in the text. */
function withExactIds(object: JsonObject, text: string): JsonObject {
  const exact = (name: string, value: Json): Json => {
    if (isJsonObject(value) && (name === 'params' || name === '_meta')) return withExactIds(value, text)
    if (typeof value !== 'number' || Number.isSafeInteger(value)) return value
    const digits = Array.from(text.matchAll(ID_DIGITS), ([, found]) => found).find(
      (one) => Number(one) === value,
    )
    return digits === undefined ? value : TAG + digits
  }
  return Object.fromEntries(Object.entries(object).map(([name, value]) => [name, exact(name, value)]))
}
