import { parseJSONRPCMessage, type JSONRPCMessage } from '@modelcontextprotocol/server'
import { isTooDeep, MAX_JSON_DEPTH } from '../../../lib/clean-json.ts'
import { isJsonObject, parseJson, type Json } from '../../../lib/json.ts'
import type { LongLine } from './byte-lines.ts'
import { INVALID_REQUEST, PARSE_ERROR } from './error-codes.ts'
import { repeatable, type RequestId } from './request-id.ts'

/** A line that is a message, and its id where it is a request. */
export interface ReadMessage {
  readonly message: JSONRPCMessage
  readonly id: RequestId
}

/** One that is none, or cannot be served: the error that answers it. */
export interface NoMessage {
  readonly id: RequestId
  readonly code: number
  readonly wrong: string
}

/** What a line says. `maxBytes` is named where it was too long. */
export function readMessage(line: Uint8Array | LongLine, maxBytes: number): ReadMessage | NoMessage {
  if ('id' in line)
    return {
      id: line.id,
      code: INVALID_REQUEST,
      wrong: `a message has at most ${maxBytes} bytes, on a line of its own; send less at once`,
    }
  let value: Json
  try {
    value = parseJson(new TextDecoder('utf-8', { fatal: true }).decode(line))
  } catch {
    return { id: null, code: PARSE_ERROR, wrong: 'each line must be one message in JSON, as UTF-8' }
  }
  if (Array.isArray(value)) return invalid('send each message on a line of its own: MCP has no batches')
  if (isTooDeep(value)) return invalid(`a message is nested at most ${MAX_JSON_DEPTH} levels deep`, value)
  try {
    return { message: parseJSONRPCMessage(value), id: idOf(value) }
  } catch {
    return invalid('this is no message of JSON-RPC 2.0', value)
  }
}

const invalid = (wrong: string, value?: Json): NoMessage => ({
  id: idOf(value),
  code: INVALID_REQUEST,
  wrong,
})

const idOf = (value: Json | undefined): RequestId => repeatable(isJsonObject(value) ? value['id'] : undefined)
