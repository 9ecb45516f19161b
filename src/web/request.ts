import { get as httpGet, type IncomingMessage } from 'node:http'
import { get as httpsGet, type RequestOptions } from 'node:https'
import { isIPv6, type LookupFunction } from 'node:net'
import { errorCode, errorMessage } from '../base/errors.ts'
import { WebError } from '../tools/index.ts'

export interface GetRequest {
  readonly url: URL
  /** The only addresses to connect to; default: all addresses of the host. */
  readonly addresses?: readonly string[]
  readonly headers: Readonly<Record<string, string>>
  /** CA certificates in PEM; default: the usual ones. */
  readonly authorities?: string
}

/** The limit of all headers' names and values together. */
const MAX_HEADER_BYTES = 16 * 1024

/**
 * Sends one GET and resolves with the headers, without following redirects. Connects only to `addresses`,
 * with no second name lookup, and the certificate must be the name's. The caller must destroy or read the
 * response. Rejects with `WebError` or the signal's reason.
 */
export async function get(request: GetRequest, { signal, progress }: TimeLimit): Promise<IncomingMessage> {
  const { url, addresses, headers, authorities } = request
  const options: RequestOptions = {
    agent: false,
    signal,
    headers: { 'accept-encoding': 'gzip, deflate, br', ...headers },
    maxHeaderSize: MAX_HEADER_BYTES,
    insecureHTTPParser: false,
    ...(addresses ? { lookup: fixedLookup(addresses) } : {}),
    ...(authorities === undefined ? {} : { ca: authorities }),
  }
  const send = url.protocol === 'https:' ? httpsGet : httpGet
  try {
    const answer = await new Promise<IncomingMessage>((resolve, reject) => {
      send(url, options, resolve)
        .on('error', reject)
        .on('upgrade', (_answer, socket) => socket.destroy())
    })
    progress()
    return answer
  } catch (error) {
    signal.throwIfAborted()
    throw new WebError(explain(error, url), { cause: error })
  }
}

/** Always returns the checked addresses. */
function fixedLookup(addresses: readonly string[]): LookupFunction {
  const answers = addresses.map((address) => ({ address, family: isIPv6(address) ? 6 : 4 }))
  const [first] = answers
  return (name, { all }, done) => {
    if (all) done(null, answers)
    else if (first) done(null, first.address, first.family)
    else done(new Error(`there is no address of ${name}`), [])
  }
}

/** Says why a connection failed. Repeats only the URL's host. */
export function explain(error: unknown, { host }: URL): string {
  const code = errorCode(error) ?? ''
  if (code === 'ECONNREFUSED') return `${host} takes no connections`
  if (code === 'ENOTFOUND' || code === 'EAI_AGAIN') return `there is no host called ${host}`
  if (code === 'HPE_HEADER_OVERFLOW')
    return `${host} sent more than ${MAX_HEADER_BYTES / 1024} KiB of headers`
  if (code.startsWith('HPE_')) return `${host} does not speak HTTP as it should (${code})`
  if (/CERT|ALTNAME|SELF_SIGNED|UNABLE_TO|TLS|SSL/.test(code))
    return `the certificate or encryption of ${host} cannot be trusted (${code})`
  if (code.startsWith('Z_') || code.startsWith('ERR__ERROR')) return `${host} sent damaged compressed data`
  return `the connection to ${host} broke (${code || errorMessage(error)})`
}

export interface TimeLimits {
  readonly totalMs: number
  /** Ms without a byte or a call of `progress`. */
  readonly idleMs: number
}

export interface TimeLimit extends Disposable {
  /** Aborted with a `WebError` when the time is over, or with the outer signal's reason. */
  readonly signal: AbortSignal
  /** Restarts the idle time. */
  progress(): void
}

export function startTimeLimit({ totalMs, idleMs }: TimeLimits, outer: AbortSignal): TimeLimit {
  const over = new AbortController()
  const giveUp = (reason: string) => (): void => over.abort(new WebError(reason))
  const silent = giveUp(`the server sent nothing for ${idleMs / 1000} s`)
  const total = setTimeout(giveUp(`the server was not done after ${totalMs / 1000} s`), totalMs)
  let idle = setTimeout(silent, idleMs)
  return {
    signal: AbortSignal.any([outer, over.signal]),
    progress() {
      clearTimeout(idle)
      idle = setTimeout(silent, idleMs)
    },
    [Symbol.dispose]() {
      clearTimeout(total)
      clearTimeout(idle)
    },
  }
}
