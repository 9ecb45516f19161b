import type { IncomingMessage } from 'node:http'
import { isIP } from 'node:net'

/** `[http]` of the config. */
export interface GateSettings {
  /** Names under which this server is reached, besides `localhost` and all addresses that are numbers. */
  readonly hosts: readonly string[]
  /** Origins of pages whose requests are answered: `https://chat.example.org`. */
  readonly origins: readonly string[]
  /** Addresses of reverse proxies, whose `X-Forwarded-For` is believed. */
  readonly proxies: readonly string[]
}

/** As many headers as one request may have. */
const MAX_HEADERS = 100

export interface GateRefusal {
  readonly status: 400 | 403 | 431
  readonly text: string
}

/**
 * Turns away what a page in somebody's browser can send: a request that says which page it comes from, and one for a name that
 * is not ours, which somebody else's name server leads here (DNS rebinding). A number in place of a name cannot do that.
 */
export function refusalOf(request: IncomingMessage, settings: GateSettings): GateRefusal | undefined {
  const { host = '', origin } = request.headers
  if (request.rawHeaders.length > 2 * MAX_HEADERS)
    return { status: 431, text: `a request has ${MAX_HEADERS} headers at most` }
  if (countOf(request, 'host') > 1) return { status: 400, text: 'a request has one Host' }
  if (!isOurs(host, settings.hosts))
    return { status: 403, text: 'this server has no such name; its operator can add it to [http] hosts' }
  if (origin !== undefined && !settings.origins.includes(origin))
    return {
      status: 403,
      text: 'pages in a browser are not served; the operator can add one to [http] origins',
    }
  return undefined
}

/** Whether the name in a `Host` header is ours; a final dot means the same name. */
function isOurs(host: string, names: readonly string[]): boolean {
  const [, name = '', inBrackets = ''] = /^(?:([^:[\]]+)|\[([^\]]+)\])(?::\d{1,5})?$/.exec(host) ?? []
  if (inBrackets !== '') return isIP(inBrackets) === 6
  const asked = name.toLowerCase().replace(/\.$/, '')
  return asked === 'localhost' || isIP(asked) === 4 || names.includes(asked)
}

/** How often a header came; Node gives the first of several. */
const countOf = ({ rawHeaders }: IncomingMessage, name: string): number =>
  rawHeaders.filter((word, index) => index % 2 === 0 && word.toLowerCase() === name).length
