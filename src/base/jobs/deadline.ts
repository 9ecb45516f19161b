import { createDeferred } from './waiting.ts'

/** Runs a wait that does not count against the deadline, such as a wait for a person's answer. */
export type WaitUncounted = <T>(wait: () => Promise<T>) => Promise<T>

export class DeadlineError extends Error {
  override readonly name = 'DeadlineError'
}

const GRACE_MS = 3000

/**
 * Runs `job` for `ms` of its own time, then aborts its signal with a `DeadlineError`. A result within three
 * more seconds counts; a later one is dropped. Rejects at once with the outer signal's reason.
 */
export async function underDeadline<T>(
  ms: number,
  outer: AbortSignal,
  job: (signal: AbortSignal, uncounted: WaitUncounted) => Promise<T>,
): Promise<T> {
  const clock = createStopwatch(ms)
  const signal = AbortSignal.any([outer, clock.signal])
  const stopped = createDeferred<never>()
  const stop = (): void => stopped.reject(outer.aborted ? outer.reason : clock.givenUp.reason)
  clock.run()
  try {
    for (const one of [outer, clock.givenUp]) one.addEventListener('abort', stop)
    if (outer.aborted) stop()
    return await Promise.race([job(signal, clock.uncounted), stopped.promise])
  } catch (error) {
    throw clock.signal.aborted && !outer.aborted ? clock.signal.reason : error
  } finally {
    clock.end()
    for (const one of [outer, clock.givenUp]) one.removeEventListener('abort', stop)
  }
}

function createStopwatch(ms: number) {
  const over = new AbortController()
  let left = ms
  let since = 0
  let waiting = 0
  let ended = false
  let timer: ReturnType<typeof setTimeout> | undefined
  const givenUp = new AbortController()

  function run(): void {
    if (ended || over.signal.aborted) return
    since = performance.now()
    timer = setTimeout(timeIsOver, left)
  }

  function timeIsOver(): void {
    const error = new DeadlineError(`no end after ${ms} ms`)
    over.abort(error)
    timer = setTimeout(() => givenUp.abort(error), GRACE_MS)
  }

  function pause(): void {
    if (over.signal.aborted) return
    clearTimeout(timer)
    left = Math.max(0, left - (performance.now() - since))
  }

  const uncounted: WaitUncounted = async (wait) => {
    if (waiting++ === 0) pause()
    try {
      return await wait()
    } finally {
      if (--waiting === 0) run()
    }
  }

  function end(): void {
    ended = true
    clearTimeout(timer)
  }

  return { signal: over.signal, givenUp: givenUp.signal, run, end, uncounted }
}
