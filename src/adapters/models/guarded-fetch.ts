import type { ModelLimits } from './provider.ts'

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
 * Redirects are an error: a key must not be carried to another host.
 */
export function guardedFetch(limits: ModelLimits): typeof fetch {
  return async (input, init) => {
    const idle = createIdleTimer(limits.idleMs)
    const signal = init?.signal ? AbortSignal.any([init.signal, idle.signal]) : idle.signal
    // The caller aborts its signal when it is done, with or without an answer, and that ends the timer.
    init?.signal?.addEventListener('abort', () => idle.end(), { once: true })
    try {
      const response = await fetch(input, { ...init, signal, redirect: 'error' })
      const body = response.body?.pipeThrough(guard(limits, idle))
      if (!body) idle.end()
      return new Response(body ?? null, response)
    } catch (error) {
      idle.end()
      // The library would report our own abort as the caller's. A silent provider is a failure.
      throw idle.signal.aborted ? idle.signal.reason : error
    }
  }
}

interface IdleTimer {
  readonly signal: AbortSignal
  restart(): void
  end(): void
}

function createIdleTimer(ms: number): IdleTimer {
  const silence = new AbortController()
  const expire = (): void => silence.abort(new LimitError('idleMs'))
  let timer = setTimeout(expire, ms)
  return {
    signal: silence.signal,
    restart() {
      clearTimeout(timer)
      timer = setTimeout(expire, ms)
    },
    end: () => clearTimeout(timer),
  }
}

const LINE_END = 10

function guard(limits: ModelLimits, idle: IdleTimer): TransformStream<Uint8Array, Uint8Array> {
  let total = 0
  let line = 0
  return new TransformStream({
    transform(chunk, controller) {
      idle.restart()
      total += chunk.length
      const lastEnd = chunk.lastIndexOf(LINE_END)
      line = lastEnd < 0 ? line + chunk.length : chunk.length - lastEnd - 1
      const broken =
        total > limits.answerBytes ? 'answerBytes' : line > limits.lineBytes ? 'lineBytes' : undefined
      if (!broken) return controller.enqueue(chunk)
      idle.end()
      controller.error(new LimitError(broken))
    },
    flush: () => idle.end(),
  })
}
