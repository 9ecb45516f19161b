import { objectIn, type Fields } from './loose.ts'
import type { ModelAccess, ModelLimits, Proxies } from './provider.ts'

export class LimitError extends Error {
  override readonly name = 'LimitError'
  readonly limit: keyof ModelLimits
  constructor(limit: keyof ModelLimits) {
    super(`over the limit ${limit}`)
    this.limit = limit
  }
}

/** Headers in which libraries send a key, and some of them also an empty one. */
const KEY_HEADERS = ['authorization', 'x-api-key', 'x-goog-api-key']

/** `fetch` to a model's server: with the headers and the query of its config, and through its proxy. */
export function modelFetch(access: ModelAccess, limits: ModelLimits): typeof fetch {
  const send = limitedFetch(limits, access.proxy)
  return async (input, init) => {
    const headers = new Headers(init?.headers)
    if (!access.apiKey) for (const name of KEY_HEADERS) headers.delete(name)
    for (const [name, value] of Object.entries(access.headers ?? {})) headers.set(name, value)
    return await send(addressOf(input as string | URL, access), { ...init, headers })
  }
}

function addressOf(input: string | URL, { endpoint, endpointIsWhole }: ModelAccess): string | URL {
  if (endpoint === undefined) return input
  if (endpointIsWhole) return endpoint
  const url = new URL(input)
  for (const [name, value] of new URL(endpoint).searchParams) url.searchParams.set(name, value)
  return url
}

/** Pairs its own `fetch` with its proxies: that of Node may be of another version, which does not fit. */
async function fetchThrough(proxies: Proxies): Promise<typeof fetch> {
  const undici = await import('undici')
  const dispatcher = new undici.EnvHttpProxyAgent(proxies)
  const send = (input: string | URL, init: object) => undici.fetch(input, { ...init, dispatcher })
  return send as unknown as typeof fetch
}

/**
 * `fetch` whose answer fails with `LimitError` if the provider is silent, endless, or sends a line without an
 * end. Redirects are not followed: a key must not be carried to another host.
 */
export function limitedFetch(limits: ModelLimits, proxies?: Proxies): typeof fetch {
  let proxied: Promise<typeof fetch> | undefined
  return async (input, init) => {
    const ending = createEnding(limits.idleMs, init?.signal ?? undefined)
    const { signal } = ending
    try {
      const send = proxies ? await (proxied ??= fetchThrough(proxies)) : fetch
      const response = await send(input, { ...init, signal, redirect: 'manual' })
      // `fetch` forgets its signal after a garbage collection (undici v6.24.1, lib/web/fetch/request.js), so
      // the body gets the signal itself.
      const body = response.body?.pipeThrough(guard(limits, ending), { signal })
      if (!body) ending.endTimer()
      return new Response(body ?? null, response)
    } catch (error) {
      ending.endTimer()
      // The library would report our own abort as the caller's. A silent provider is a failure.
      throw signal.aborted ? signal.reason : error
    }
  }
}

interface Ending {
  readonly signal: AbortSignal
  restartTimer(): void
  endTimer(): void
}

function createEnding(idleMs: number, caller: AbortSignal | undefined): Ending {
  const ending = new AbortController()
  const expire = (): void => ending.abort(new LimitError('idleMs'))
  let timer = setTimeout(expire, idleMs)
  const endTimer = (): void => clearTimeout(timer)
  const stop = (): void => {
    endTimer()
    ending.abort(caller?.reason)
  }
  if (caller?.aborted) stop()
  // The caller aborts its signal when it is done, and that ends the timer.
  caller?.addEventListener('abort', stop, { once: true })
  return {
    signal: ending.signal,
    endTimer,
    restartTimer() {
      endTimer()
      timer = setTimeout(expire, idleMs)
    },
  }
}

const LINE_END = 10

function guard(limits: ModelLimits, ending: Ending): TransformStream<Uint8Array, Uint8Array> {
  let total = 0
  let line = 0
  return new TransformStream({
    transform(chunk, controller) {
      ending.restartTimer()
      total += chunk.length
      const lastEnd = chunk.lastIndexOf(LINE_END)
      line = lastEnd < 0 ? line + chunk.length : chunk.length - lastEnd - 1
      const broken =
        total > limits.answerBytes ? 'answerBytes' : line > limits.lineBytes ? 'lineBytes' : undefined
      if (!broken) return controller.enqueue(chunk)
      ending.endTimer()
      controller.error(new LimitError(broken))
    },
    flush: ending.endTimer,
  })
}

/** A hosted server may list thousands of models. */
const INQUIRY_LIMITS: ModelLimits = {
  idleMs: 10_000,
  answerBytes: 8 * 1024 * 1024,
  lineBytes: 8 * 1024 * 1024,
}

/**
 * Asks a server about its models: `body` in a POST, else a GET. Rejects unless the answer is a JSON object.
 */
export async function queryServer(
  url: string,
  access: ModelAccess,
  signal: AbortSignal,
  body?: object,
): Promise<Fields> {
  const response = await modelFetch(access, INQUIRY_LIMITS)(url, {
    method: body ? 'POST' : 'GET',
    headers: { 'content-type': 'application/json', ...authorizationHeader(access) },
    ...(body ? { body: JSON.stringify(body) } : {}),
    signal,
  })
  const path = new URL(url).pathname
  if (!response.ok) throw new Error(`${path} answered with status ${response.status}`)
  const answer: unknown = await response.json()
  if (objectIn(answer) !== answer) throw new Error(`${path} answered with no object`)
  return objectIn(answer)
}

export const authorizationHeader = ({ apiKey }: Pick<ModelAccess, 'apiKey'>): Record<string, string> =>
  apiKey ? { authorization: `Bearer ${apiKey}` } : {}
