import { parseJSONRPCMessage, specTypeSchemas, type JSONRPCMessage } from '@modelcontextprotocol/server'
import {
  hasTooManyValues,
  isJsonObject,
  isTooDeep,
  MAX_JSON_DEPTH,
  MAX_JSON_VALUES,
  parseJson,
  type Json,
  type JsonObject,
} from '../../base/json.ts'
import { replaceLargeIds } from './large-ids.ts'

/** Codes of JSON-RPC 2.0, section 5.1. */
const PARSE_ERROR = -32_700
const INVALID_REQUEST = -32_600
const INVALID_PARAMS = -32_602
/** The first code that JSON-RPC 2.0 leaves to servers. */
export const REFUSED = -32_000

/** A request's refusal. `id` is null if the request has no readable ID. */
export class MessageError extends Error {
  override readonly name = 'MessageError'
  readonly code: number
  readonly id: string | number | null

  constructor(message: string, id: string | number | null = null, code = INVALID_REQUEST) {
    super(message)
    this.code = code
    this.id = id
  }
}

/** Treats null as absent in params and arguments; the SDK checks the rest. Throws `MessageError`. */
export function readMessage(text: string): JsonObject {
  const message = readObject(text)
  checkParams(message)
  return message
}

function readObject(text: string): JsonObject {
  if (hasTooManyValues(text)) throw new MessageError(TOO_MANY, findId(text))
  let value: Json
  try {
    value = parseJson(replaceLargeIds(text))
  } catch {
    throw new MessageError('this is no message in JSON', null, PARSE_ERROR)
  }
  if (!isJsonObject(value)) throw new MessageError('send each message by itself, as an object')
  if (isTooDeep(value)) throw new MessageError(TOO_DEEP, idOf(value))
  const { params, ...rest } = value
  if (params === undefined || params === null) return rest
  if (!isJsonObject(params)) return value
  const { arguments: given } = params
  const all = isJsonObject(given) ? { ...params, arguments: withoutNulls(given) } : params
  return { ...rest, params: withoutNulls(all) }
}

/** Requests with required params, whose errors the SDK would report as JSON. */
const CHECKED = new Map<string, (typeof specTypeSchemas)[keyof typeof specTypeSchemas]>([
  ['initialize', specTypeSchemas.InitializeRequest],
  ['tools/call', specTypeSchemas.CallToolRequest],
  ['prompts/get', specTypeSchemas.GetPromptRequest],
  ['resources/read', specTypeSchemas.ReadResourceRequest],
  ['resources/subscribe', specTypeSchemas.SubscribeRequest],
  ['resources/unsubscribe', specTypeSchemas.UnsubscribeRequest],
  ['completion/complete', specTypeSchemas.CompleteRequest],
  ['logging/setLevel', specTypeSchemas.SetLevelRequest],
])

/** Names the revision in each request since 2026-07-28, which has no sessions. */
const REVISION = 'io.modelcontextprotocol/protocolVersion'
/** Methods that this revision lacks: the SDK answers that there is no such method. */
const GONE = new Set(['initialize', 'resources/subscribe', 'resources/unsubscribe', 'logging/setLevel'])

function checkParams(message: JsonObject): void {
  const method = typeof message['method'] === 'string' ? message['method'] : ''
  const meta = isJsonObject(message['params']) ? message['params']['_meta'] : undefined
  if (GONE.has(method) && isJsonObject(meta) && REVISION in meta) return
  const [issue] = CHECKED.get(method)?.['~standard'].validate(message).issues ?? []
  if (!issue) return
  const why = `${(issue.path ?? []).map(String).join('.')}: ${issue.message.replace(/^Invalid input: /, '')}`
  throw new MessageError(`${method} has invalid ${why}`, idOf(message), INVALID_PARAMS)
}

const withoutNulls = (object: JsonObject): JsonObject =>
  Object.fromEntries(Object.entries(object).filter(([, value]) => value !== null))

/** Null unless the message is a request: the client would take the error for an answer to its own request. */
function idOf({ id, method }: JsonObject): string | number | null {
  return typeof method === 'string' && (typeof id === 'string' || typeof id === 'number') ? id : null
}

/** Limit of a message on a pipe. */
const MAX_BYTES = 1_048_576

const TOO_MANY = `a message has at most ${MAX_JSON_VALUES} keys and values`
const TOO_DEEP = `a message is nested at most ${MAX_JSON_DEPTH} levels deep`
const TOO_LONG = `a message has at most ${MAX_BYTES} bytes, on a line of its own; send less at once`

export interface Line {
  readonly bytes: Uint8Array
  /** True if the line is longer than `MAX_BYTES`; `bytes` are its first and last bytes. */
  readonly isCut: boolean
}

/** Bytes kept of each end of a line that is too long: clients write the ID first or last. */
const CUT_BYTES = 256

const LF = 10

/** Yields an input's lines without their ends. */
export async function* linesOf(input: AsyncIterable<Uint8Array>): AsyncGenerator<Line> {
  let parts: Uint8Array[] = []
  let size = 0
  function add(part: Uint8Array): void {
    parts.push(part)
    size += part.length
    if (size <= MAX_BYTES) return
    const all = Buffer.concat(parts)
    // Copies, because a part of a buffer keeps the whole buffer in memory.
    parts = [
      Buffer.from(all.subarray(0, CUT_BYTES)),
      Buffer.from(all.subarray(CUT_BYTES).subarray(-CUT_BYTES)),
    ]
  }
  function end(): Line {
    const line = { bytes: Buffer.concat(parts), isCut: size > MAX_BYTES }
    parts = []
    size = 0
    return line
  }
  for await (const chunk of input) {
    let rest = chunk
    for (let at = rest.indexOf(LF); at >= 0; at = rest.indexOf(LF)) {
      add(rest.subarray(0, at))
      rest = rest.subarray(at + 1)
      yield end()
    }
    add(rest)
  }
  yield end()
}

const FIRST_ID = /^\s*\{(?:\s*"jsonrpc"\s*:\s*"2\.0"\s*,)?\s*"id"\s*:\s*(?<id>-?\d+|"[\w:.-]*")\s*,/
const LAST_ID = /,\s*"id"\s*:\s*(?<id>-?\d+|"[\w:.-]*")\s*\}\s*$/

/** Returns the ID of an unparsed request; null if the ID is neither first nor last. */
function findId(text: string): string | number | null {
  const found = FIRST_ID.exec(text.slice(0, CUT_BYTES)) ?? LAST_ID.exec(text.slice(-CUT_BYTES))
  const json = `{"id":${found?.groups?.['id'] ?? 'null'}}`
  return (JSON.parse(replaceLargeIds(json)) as { readonly id: string | number | null }).id
}

/** Returns undefined for a blank line. Throws `MessageError`. */
export function parseLine({ bytes, isCut }: Line): JSONRPCMessage | undefined {
  const text = new TextDecoder().decode(bytes)
  if (isCut) throw new MessageError(TOO_LONG, findId(text))
  if (text.trim() === '') return undefined
  const message = readMessage(text)
  try {
    return parseJSONRPCMessage(message)
  } catch {
    throw new MessageError('this is no message of JSON-RPC 2.0', idOf(message))
  }
}
