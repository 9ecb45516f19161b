import { isTooDeep, MAX_JSON_DEPTH } from '../../../lib/clean-json.ts'
import { isJsonObject, parseJson, type Json, type JsonObject } from '../../../lib/json.ts'

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
export function idOf({ id, method }: JsonObject): string | number | null {
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
