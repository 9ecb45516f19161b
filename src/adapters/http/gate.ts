import type { IncomingMessage, ServerResponse } from 'node:http'
import { isIP } from 'node:net'

export interface GateSettings {
  /** Names of this server, besides `localhost` and all IP addresses. */
  readonly hosts: readonly string[]
  /** Pages with these origins are answered, such as `https://chat.example.org`. */
  readonly origins: readonly string[]
  /** Addresses of reverse proxies. Their `X-Forwarded-For` is believed. */
  readonly proxies: readonly string[]
}

const MAX_HEADERS = 100

/**
 * Refuses pages in a browser, by their origin and by a host name that is not ours, which a foreign name
 * server leads here (DNS rebinding). An IP address cannot do that.
 */
export function refusalOf(
  { headers: { host = '', origin }, rawHeaders }: IncomingMessage,
  settings: GateSettings,
): { readonly status: 400 | 403 | 431; readonly text: string } | undefined {
  if (rawHeaders.length > 2 * MAX_HEADERS)
    return { status: 431, text: `a request has ${MAX_HEADERS} headers at most` }
  // Node keeps the first of several.
  const names = rawHeaders.filter((word, index) => index % 2 === 0 && word.toLowerCase() === 'host')
  if (names.length > 1) return { status: 400, text: 'a request has one Host' }
  if (!isOurs(host, settings.hosts))
    return { status: 403, text: 'this server has no such name; its operator can add it to [http] hosts' }
  if (origin !== undefined && !settings.origins.includes(origin))
    return {
      status: 403,
      text: 'pages in a browser are not served; the operator can add one to [http] origins',
    }
  return undefined
}

/** A final dot means the same name. */
function isOurs(host: string, names: readonly string[]): boolean {
  const [, name = '', inBrackets = ''] = /^(?:([^:[\]]+)|\[([^\]]+)\])(?::\d{1,5})?$/.exec(host) ?? []
  if (inBrackets !== '') return isIP(inBrackets) === 6
  const asked = name.toLowerCase().replace(/\.$/, '')
  return asked === 'localhost' || isIP(asked) === 4 || names.includes(asked)
}

/** Lets an allowed page read the answer (https://fetch.spec.whatwg.org, CORS). */
export function letPageRead({ headers: { origin } }: IncomingMessage, response: ServerResponse): void {
  response.setHeader('Vary', 'Origin')
  if (origin === undefined) return
  response.setHeader('Access-Control-Allow-Origin', origin)
  response.setHeader('Access-Control-Expose-Headers', 'Mcp-Session-Id, WWW-Authenticate')
}

/**
 * Answers a browser's question, which has no token, whether a page may send a request. Returns false for
 * other requests.
 */
export function answerPreflight({ method, headers }: IncomingMessage, response: ServerResponse): boolean {
  const wanted = headers['access-control-request-method']
  if (method !== 'OPTIONS' || headers.origin === undefined || wanted === undefined) return false
  response.writeHead(204, {
    'Access-Control-Allow-Methods': 'GET, POST, DELETE',
    // Those of all revisions of MCP.
    'Access-Control-Allow-Headers':
      'Authorization, Content-Type, Last-Event-ID, Mcp-Method, Mcp-Name, Mcp-Protocol-Version, Mcp-Session-Id',
    'Access-Control-Max-Age': '600',
  })
  response.end()
  return true
}

/** The peer's address or, if the peer is a proxy of ours, the last one that it added. */
export function clientAddress({ socket, headers }: IncomingMessage, proxies: readonly string[]): string {
  const peer = plainAddress(socket.remoteAddress)
  if (!proxies.includes(peer)) return peer
  const added = [headers['x-forwarded-for'] ?? []].flat().join(',').split(',').at(-1)?.trim() ?? ''
  return isIP(added) === 0 ? peer : plainAddress(added)
}

/** An IPv4 address without IPv6 around it. */
export const plainAddress = (address = ''): string => address.replace(/^::ffff:/i, '')
