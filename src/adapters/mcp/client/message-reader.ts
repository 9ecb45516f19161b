import type { JSONRPCMessage, RequestId } from '@modelcontextprotocol/client'
import { errorMessage } from '../../../lib/errors.ts'
import { TooLong, type MessageText } from './bounded-message.ts'

type Fields = Readonly<Record<string, unknown>>

/** Requests of which a server can leave the answers out before the oldest is forgotten. */
const MAX_WAITING = 1_000

/** JSON-RPC 2.0, section 5.1: an error of the server. */
const SERVER_ERROR = -32_000

/**
 * Reads what a server sends into messages that the SDK takes: null is absent, a wrong form that can be read is read, and
 * an answer that cannot be read becomes an error. One reader serves one connection.
 */
export class MessageReader {
  /** The methods of the requests that wait for an answer. */
  private readonly waiting = new Map<RequestId, string>()

  /** Notes a message that is sent. Returns its id if it is a request. */
  sent(message: unknown): RequestId | undefined {
    if (!isObject(message)) return undefined
    const { id, method, params } = message
    if (method === 'notifications/cancelled' && isObject(params) && isId(params['requestId']))
      this.waiting.delete(params['requestId'])
    if (!isId(id) || typeof method !== 'string') return undefined
    this.waiting.set(id, method)
    if (this.waiting.size > MAX_WAITING) this.waiting.delete([...this.waiting.keys()][0] ?? id)
    return id
  }

  /**
   * `only` is the request that the text answers, if that is known. With `isReply` the text is nothing but its answer, so
   * any other text fails the request.
   */
  read({ text, isCut }: MessageText, only?: RequestId, isReply = false): JSONRPCMessage[] {
    const asked = only === undefined ? [...this.waiting.keys()] : [only]
    if (isCut) return this.fail(text, asked, () => new TooLong().message)
    const unreadable = (why: string): JSONRPCMessage[] =>
      this.fail(text, asked, (method) => `its answer to ${method} could not be read: ${why}`)
    let value: unknown
    try {
      value = JSON.parse(text.replace(/^\uFEFF/, ''))
    } catch (error) {
      return isReply || text.includes('"jsonrpc"') ? unreadable(errorMessage(error)) : []
    }
    const values: readonly unknown[] = Array.isArray(value) ? value : [value]
    const messages = values.flatMap((one) => this.messageIn(one, asked, isReply))
    return messages.length === 0 && isReply ? unreadable('it is no message of the protocol') : messages
  }

  private messageIn(value: unknown, asked: readonly RequestId[], isReply: boolean): JSONRPCMessage[] {
    if (!isObject(value)) return []
    const isMarked = 'jsonrpc' in value || 'result' in value || 'error' in value
    dropNulls(value)
    const { method, params, id, result, error } = value
    if (typeof method === 'string') {
      const more = { ...(isId(id) ? { id } : {}), ...(isObject(params) ? { params } : {}) }
      return [{ jsonrpc: '2.0', method, ...more }]
    }
    const known = asked.find((one) => String(one) === String(id))
    const answered = known ?? (asked.length === 1 && (isReply || id === undefined) ? asked[0] : id)
    if (!isMarked || !isId(answered)) return []
    const of = this.waiting.get(answered)
    this.waiting.delete(answered)
    return isError(error)
      ? [{ jsonrpc: '2.0', id: answered, error: errorIn(error) }]
      : [{ jsonrpc: '2.0', id: answered, result: resultIn(of, result) }]
  }

  /** An error for the request that a text would answer; none if that cannot be told. */
  private fail(
    text: string,
    asked: readonly RequestId[],
    messageFor: (method: string) => string,
  ): JSONRPCMessage[] {
    const [, named] = /"id"\s*:\s*"?([^",}\s]+)/.exec(text) ?? []
    const id = asked.find((one) => String(one) === named) ?? (asked.length === 1 ? asked[0] : undefined)
    if (id === undefined) return []
    const message = messageFor(this.waiting.get(id) ?? 'a request')
    this.waiting.delete(id)
    return [{ jsonrpc: '2.0', id, error: { code: SERVER_ERROR, message } }]
  }
}

const isId = (value: unknown): value is RequestId => typeof value === 'string' || Number.isSafeInteger(value)

export const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** A null below these is data; the last two may be null themselves. */
const DATA: readonly string[] = ['structuredContent', 'toolResult', 'enum', 'examples', 'default', 'const']
const MAY_BE_NULL = DATA.slice(-2)

/** Removes them in place, without recursion: the server chose the nesting. */
function dropNulls(message: object): void {
  const open: object[] = [message]
  for (let one = open.pop(); one; one = open.pop())
    for (const [name, value] of Object.entries(one) as [string, unknown][]) {
      if (value === null && !Array.isArray(one) && !MAY_BE_NULL.includes(name))
        Reflect.deleteProperty(one, name)
      else if (typeof value === 'object' && value !== null && !DATA.includes(name)) open.push(value)
    }
}

/** Some servers send an empty error beside each result. */
const isError = (error: unknown): boolean =>
  Boolean(error) && !(isObject(error) && Object.keys(error).length === 0)

function errorIn(error: unknown): { code: number; message: string; data?: unknown } {
  const { code, message, data }: Fields = isObject(error) ? error : { message: error }
  return {
    code: Number.isSafeInteger(code) ? Number(code) : SERVER_ERROR,
    message: typeof message === 'string' ? message : JSON.stringify(message ?? error),
    ...(data === undefined ? {} : { data }),
  }
}

/** Of the result of a list or a call, which `readTools` and `readResult` read. */
export const RAW = 'raw'

/** What the SDK requires of results, which it would refuse for one tool or block that it does not know. */
const REQUIRED = { resultType: 'complete', tools: [], content: [], ttlMs: 0, cacheScope: 'private' }

function resultIn(method: string | undefined, result: unknown): Record<string, unknown> {
  const isComplete = !isObject(result) || (result['resultType'] ?? 'complete') === 'complete'
  if (isComplete && (method === 'tools/list' || method === 'tools/call'))
    return { ...REQUIRED, [RAW]: result }
  if (!isObject(result)) return {}
  const { protocolVersion, supportedVersions, capabilities } = result
  const { listChanged = false }: Fields =
    isObject(capabilities) && isObject(capabilities['tools']) ? capabilities['tools'] : {}
  // All servers are asked for tools, whatever they say.
  const able = { capabilities: { tools: { listChanged: listChanged === true } } }
  if (method === 'server/discover') return { ...REQUIRED, ...able, supportedVersions }
  if (method !== 'initialize') return { ...result }
  return {
    ...able,
    protocolVersion: typeof protocolVersion === 'string' ? protocolVersion : ASSUMED_REVISION,
    serverInfo: { name: '', version: '' },
  }
}

/** For a server that names none. */
const ASSUMED_REVISION = '2025-03-26'
