import { objectIn, type Fields } from './loose.ts'
import type { ModelAccess, ModelLimits } from './provider.ts'

/** The provider went over one of our limits; `limit` names it. */
export class LimitError extends Error {
  override readonly name = 'LimitError'
  readonly limit: keyof ModelLimits
  constructor(limit: keyof ModelLimits) {
    super(`over the limit ${limit}`)
    this.limit = limit
  }
}

/**
 * `fetch` that gives up on a provider that is silent, endless, or sends a line without an end: the answer's
 * body then fails with `LimitError`, and so does the call itself while there is no answer yet.
 * A redirect is given out as it is and not followed: a key must not be carried to another host.
 */
export function limitedFetch(limits: ModelLimits): typeof fetch {
  return async (input, init) => {
    const ending = createEnding(limits.idleMs, init?.signal ?? undefined)
    const { signal } = ending
    try {
      const response = await fetch(input, { ...init, signal, redirect: 'manual' })
      // `fetch` forgets its signal once the garbage collector ran: undici holds what follows a request's signal weakly
      // (lib/web/fetch/request.js at v6.24.1). So the body is given the signal itself.
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

/** What ends a request: its caller, or a silence that is too long. */
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
  // The caller aborts its signal when it is done, with or without an answer, and that ends the timer.
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

/** Limits on what a server may send when it is asked about its models. A hosted one may list thousands of them. */
const INQUIRY_LIMITS: ModelLimits = {
  idleMs: 10_000,
  answerBytes: 8 * 1024 * 1024,
  lineBytes: 8 * 1024 * 1024,
}

/**
 * Asks a server about its models, with `body` as JSON in a POST or else by a GET. Returns a JSON object. Rejects if
 * the server cannot be reached or answers with anything else, and with the signal's reason.
 */
export async function queryServer(
  url: string,
  access: Pick<ModelAccess, 'apiKey'>,
  signal: AbortSignal,
  body?: object,
): Promise<Fields> {
  const response = await limitedFetch(INQUIRY_LIMITS)(url, {
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

/** The header that carries the key, if there is one. */
export const authorizationHeader = ({ apiKey }: Pick<ModelAccess, 'apiKey'>): Record<string, string> =>
  apiKey ? { authorization: `Bearer ${apiKey}` } : {}
