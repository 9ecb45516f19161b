import type { IncomingMessage, ServerResponse } from 'node:http'
import { isIP } from 'node:net'

export interface RequestCheckSettings {
  /** Host names of this server, in addition to `localhost` and all IP addresses. */
  readonly hosts: readonly string[]
  /** Origins of browser pages that may send requests, such as `https://chat.example.org`. */
  readonly origins: readonly string[]
  /** Addresses of reverse proxies, whose `X-Forwarded-For` is trusted. */
  readonly proxies: readonly string[]
}

const MAX_HEADERS = 100

/**
 * Returns why a request is refused. Refuses browser pages by their origin, and unknown host names, which an
 * attacker's name server may point here (DNS rebinding). An IP address as host is safe.
 */
export function refusalOf(
  { headers: { host = '', origin }, rawHeaders }: IncomingMessage,
  settings: RequestCheckSettings,
): { readonly status: 400 | 403 | 431; readonly text: string } | undefined {
  if (rawHeaders.length > 2 * MAX_HEADERS)
    return { status: 431, text: `a request has ${MAX_HEADERS} headers at most` }
  // With several Host headers Node keeps only the first.
  const names = rawHeaders.filter((word, index) => index % 2 === 0 && word.toLowerCase() === 'host')
  if (names.length > 1) return { status: 400, text: 'a request has one Host' }
  if (!isOwnHost(host, settings.hosts))
    return { status: 403, text: 'this server has no such name; its operator can add it to [http] hosts' }
  if (origin !== undefined && !settings.origins.includes(origin))
    return {
      status: 403,
      text: 'pages in a browser are not served; the operator can add one to [http] origins',
    }
  return undefined
}

/** Ignores a final dot in the host name. */
function isOwnHost(host: string, names: readonly string[]): boolean {
  const [, name = '', inBrackets = ''] = /^(?:([^:[\]]+)|\[([^\]]+)\])(?::\d{1,5})?$/.exec(host) ?? []
  if (inBrackets !== '') return isIP(inBrackets) === 6
  const asked = name.toLowerCase().replace(/\.$/, '')
  return asked === 'localhost' || isIP(asked) === 4 || names.includes(asked)
}

/** Lets an allowed page read the answer (https://fetch.spec.whatwg.org, CORS). */
export function setCorsHeaders({ headers: { origin } }: IncomingMessage, response: ServerResponse): void {
  response.setHeader('Vary', 'Origin')
  if (origin === undefined) return
  response.setHeader('Access-Control-Allow-Origin', origin)
  response.setHeader('Access-Control-Expose-Headers', 'Mcp-Session-Id, WWW-Authenticate')
}

/** Answers a browser's CORS preflight, which has no token. Returns false for other requests. */
export function answerPreflight({ method, headers }: IncomingMessage, response: ServerResponse): boolean {
  const wanted = headers['access-control-request-method']
  if (method !== 'OPTIONS' || headers.origin === undefined || wanted === undefined) return false
  response.writeHead(204, {
    'Access-Control-Allow-Methods': 'GET, POST, DELETE',
    // Headers of all MCP revisions.
    'Access-Control-Allow-Headers':
      'Authorization, Content-Type, Last-Event-ID, Mcp-Method, Mcp-Name, Mcp-Protocol-Version, Mcp-Session-Id',
    'Access-Control-Max-Age': '600',
  })
  response.end()
  return true
}

/** Returns the peer's address or, if the peer is a trusted proxy, the last address that it added. */
export function clientAddress({ socket, headers }: IncomingMessage, proxies: readonly string[]): string {
  const peer = plainAddress(socket.remoteAddress)
  if (!proxies.includes(peer)) return peer
  const added = [headers['x-forwarded-for'] ?? []].flat().join(',').split(',').at(-1)?.trim() ?? ''
  return isIP(added) === 0 ? peer : plainAddress(added)
}

/** Strips the prefix of an IPv4-mapped IPv6 address. */
export const plainAddress = (address = ''): string => address.replace(/^::ffff:/i, '')
