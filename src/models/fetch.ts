import { asObject, type Fields } from './loose.ts'
import type { ModelAccess, ModelLimits, Proxies } from './provider.ts'

type Limit = keyof ModelLimits | 'calls'

export class LimitError extends Error {
  override readonly name = 'LimitError'
  readonly limit: Limit
  constructor(limit: Limit) {
    super(`over the limit ${limit}`)
    this.limit = limit
  }
}

/** Headers in which libraries send a key; some libraries send an empty one. */
const KEY_HEADERS = ['authorization', 'x-api-key', 'x-goog-api-key']

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

/** Uses undici's `fetch` with undici's proxy agent: Node's own `fetch` may be of an incompatible version. */
async function fetchThrough(proxies: Proxies): Promise<typeof fetch> {
  const undici = await import('undici')
  const dispatcher = new undici.EnvHttpProxyAgent(proxies)
  const send = (input: string | URL, init: object) => undici.fetch(input, { ...init, dispatcher })
  return send as unknown as typeof fetch
}

/** Fails with `LimitError` at a limit. Follows no redirect, so that no key is sent to another host. */
export function limitedFetch({ idleMs, answerBytes }: ModelLimits, proxies?: Proxies): typeof fetch {
  let proxied: Promise<typeof fetch> | undefined
  return async (input, init) => {
    const silence = new AbortController()
    const wait = () => setTimeout(() => silence.abort(new LimitError('idleMs')), idleMs)
    let timer = wait()
    const endWait = (): void => clearTimeout(timer)
    const signal = AbortSignal.any([silence.signal, ...(init?.signal ? [init.signal] : [])])
    // The caller aborts its signal when it has finished.
    signal.addEventListener('abort', endWait, { once: true })
    let bytes = 0
    const guard = new TransformStream<Uint8Array, Uint8Array>({
      transform(chunk, controller) {
        endWait()
        bytes += chunk.length
        if (bytes > answerBytes) return controller.error(new LimitError('answerBytes'))
        timer = wait()
        controller.enqueue(chunk)
      },
      flush: endWait,
    })
    try {
      const send = proxies ? await (proxied ??= fetchThrough(proxies)) : fetch
      const response = await send(input, { ...init, signal, redirect: 'manual' })
      // `fetch` forgets its signal after a garbage collection (undici v6.24.1, lib/web/fetch/request.js), so
      // the body gets the signal itself.
      const body = response.body?.pipeThrough(guard, { signal })
      if (!body) endWait()
      return new Response(body ?? null, response)
    } catch (error) {
      endWait()
      // Otherwise the library would report the silence limit as an abort by the caller.
      throw signal.aborted ? signal.reason : error
    }
  }
}

/** Generous limits, because a hosted server may list thousands of models. */
const INQUIRY_LIMITS: ModelLimits = { idleMs: 10_000, answerBytes: 8 * 1024 * 1024 }

/** Sends a POST if there is a `body`, else a GET. Rejects unless the answer is an object. */
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
  if (asObject(answer) !== answer) throw new Error(`${path} answered with no object`)
  return asObject(answer)
}

export const authorizationHeader = ({ apiKey }: Pick<ModelAccess, 'apiKey'>): Record<string, string> =>
  apiKey ? { authorization: `Bearer ${apiKey}` } : {}
