import type { JSONRPCMessage, RequestId } from '@modelcontextprotocol/client'
import { errorMessage } from '../../../lib/errors.ts'

type Fields = Readonly<Record<string, unknown>>

/**
 * Reads what a server sends into messages that the SDK takes: null is absent, what has the wrong form but can be read is read, and
 * an answer that cannot be read becomes an error. `asked` are the requests that wait. With `isReply` the text can only be the
 * answer to the one that was asked.
 */
export function readMessages(text: string, asked: readonly RequestId[], isReply = false): JSONRPCMessage[] {
  let value: unknown
  try {
    value = JSON.parse(text.replace(/^\uFEFF/, ''))
  } catch (error) {
    return isReply || text.includes('"jsonrpc"')
      ? failAnswer(text, asked, unreadable(errorMessage(error)))
      : []
  }
  const messages = (Array.isArray(value) ? value : [value]).flatMap((one) => messageIn(one, asked, isReply))
  return messages.length === 0 && isReply
    ? failAnswer(text, asked, unreadable('it is no message of the protocol'))
    : messages
}

/** How an error begins that says so of an answer; see `explainUnreadable`. */
const UNREADABLE = 'its answer could not be read: '
export const unreadable = (why: string): string => `${UNREADABLE}${why}`

/** Names the request whose answer could not be read, also where it was the SDK that could not. */
export const explainUnreadable = (message: string, method: string): string =>
  message
    .replace(/^MCP error -\d+: (?=its answer could not be read: )/, '')
    .replace(UNREADABLE, `its answer to ${method} could not be read: `)
    .replace(/^Invalid result for \S+: /, `its answer to ${method} could not be read: `)

/** An error for the request whose answer could not be read; none if it cannot be told which request that is. */
export function failAnswer(text: string, asked: readonly RequestId[], message: string): JSONRPCMessage[] {
  const [, named] = /"id"\s*:\s*"?([^",}\s]+)/.exec(text) ?? []
  const id = asked.find((one) => String(one) === named) ?? (asked.length === 1 ? asked[0] : undefined)
  return id === undefined ? [] : [{ jsonrpc: '2.0', id, error: { code: SERVER_ERROR, message } }]
}

/** JSON-RPC 2.0, section 5.1: an error of the server. */
const SERVER_ERROR = -32_000

function messageIn(value: unknown, asked: readonly RequestId[], isReply: boolean): JSONRPCMessage[] {
  if (!isObject(value)) return []
  const isMarked = 'jsonrpc' in value || 'result' in value || 'error' in value
  dropNulls(value)
  const { method, params, id, result, error } = value
  if (typeof method === 'string')
    return [
      {
        jsonrpc: '2.0',
        method,
        ...(isId(id) ? { id } : {}),
        ...(isObject(params) ? { params } : {}),
      },
    ]
  const known = asked.find((one) => String(one) === String(id))
  const answered = known ?? (asked.length === 1 && (isReply || id === undefined) ? asked[0] : id)
  if (!isMarked || !isId(answered)) return []
  return isError(error)
    ? [{ jsonrpc: '2.0', id: answered, error: errorIn(error) }]
    : [{ jsonrpc: '2.0', id: answered, result: resultIn(result) }]
}

const isId = (value: unknown): value is RequestId => typeof value === 'string' || Number.isSafeInteger(value)

const isObject = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** Below these a null is a value of somebody's data. */
const DATA: ReadonlySet<string> = new Set([
  'structuredContent',
  'toolResult',
  'default',
  'const',
  'enum',
  'examples',
])

/** In these, and nowhere else, it is one itself. */
const MAY_BE_NULL: ReadonlySet<string> = new Set(['default', 'const'])

/** In place, and not by recursion: the server chose the nesting. */
function dropNulls(message: object): void {
  const open: object[] = [message]
  for (let one = open.pop(); one; one = open.pop())
    for (const [name, value] of Object.entries(one) as [string, unknown][]) {
      if (value === null && !Array.isArray(one) && !MAY_BE_NULL.has(name)) Reflect.deleteProperty(one, name)
      else if (typeof value === 'object' && value !== null && !DATA.has(name)) open.push(value)
    }
}

/** Some send an empty one beside each result. */
const isError = (error: unknown): boolean =>
  error !== undefined &&
  error !== false &&
  error !== '' &&
  !(isObject(error) && Object.keys(error).length === 0)

function errorIn(error: unknown): { code: number; message: string; data?: unknown } {
  const { code, message, data }: Fields = isObject(error) ? error : { message: error }
  const number = typeof code === 'string' && code !== '' ? Number(code) : code
  return {
    code: Number.isSafeInteger(number) ? Number(number) : SERVER_ERROR,
    message: typeof message === 'string' ? message : JSON.stringify(message ?? error),
    ...(data === undefined ? {} : { data }),
  }
}

/** A list alone is what a request for a list, or for content, wanted. */
function resultIn(result: unknown): Record<string, unknown> {
  if (Array.isArray(result)) return { tools: result, content: result }
  if (!isObject(result))
    return result === undefined
      ? {}
      : { content: typeof result === 'string' ? result : JSON.stringify(result) }
  const meta = isObject(result['_meta']) ? { _meta: result['_meta'] } : {}
  const { _meta, ...rest } = result
  return { ...rest, ...meta, ...greetingIn(result) }
}

/** The revision that is assumed where a server does not say which it speaks. */
const ASSUMED = '2025-03-26'

/** Of a server's greeting, what we use: whether its tools may change. All servers are asked for tools. */
function greetingIn(result: Fields): Fields {
  const isNewest = Array.isArray(result['supportedVersions'])
  const isOlder = 'protocolVersion' in result || 'serverInfo' in result || 'capabilities' in result
  if ('content' in result || 'tools' in result || !(isNewest || isOlder)) return {}
  const { protocolVersion, capabilities, serverInfo, instructions } = result
  const tools: unknown = isObject(capabilities) ? capabilities['tools'] : undefined
  const { name, version }: Fields = isObject(serverInfo) ? serverInfo : {}
  const textOf = (value: unknown): string => (typeof value === 'string' ? value : '')
  const older = {
    protocolVersion: typeof protocolVersion === 'string' ? protocolVersion : ASSUMED,
    serverInfo: { name: textOf(name), version: textOf(version) },
  }
  return {
    ...(isNewest ? {} : older),
    capabilities: { tools: isObject(tools) && tools['listChanged'] === true ? { listChanged: true } : {} },
    instructions: typeof instructions === 'string' ? instructions : undefined,
  }
}
