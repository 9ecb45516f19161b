/** Runs something whose time does not count: waiting for a person's answer. */
export type Uncounted = <T>(wait: () => Promise<T>) => Promise<T>

/** A job's time is over. */
export class DeadlineError extends Error {
  override readonly name = 'DeadlineError'
}

/**
 * Runs `job` for at most `ms` milliseconds of its own time. Rejects with `DeadlineError` when they are
 * over, or with the outer signal's reason, at that moment, whether or not the job heeds its signal.
 */
export async function underDeadline<T>(
  ms: number,
  outer: AbortSignal,
  job: (signal: AbortSignal, uncounted: Uncounted) => Promise<T>,
): Promise<T> {
  const clock = createStopwatch(ms)
  const signal = AbortSignal.any([outer, clock.signal])
  clock.run()
  try {
    return await Promise.race([job(signal, clock.uncounted), aborted(signal)])
  } finally {
    clock.end()
  }
}

const aborted = (signal: AbortSignal): Promise<never> =>
  new Promise((_resolve, reject) => {
    if (signal.aborted) reject(signal.reason)
    else signal.addEventListener('abort', () => reject(signal.reason), { once: true })
  })

function createStopwatch(ms: number) {
  const over = new AbortController()
  let left = ms
  let since = 0
  let waiting = 0
  let ended = false
  let timer: ReturnType<typeof setTimeout> | undefined

  function run(): void {
    if (ended) return
    since = performance.now()
    timer = setTimeout(() => over.abort(new DeadlineError(`no end after ${ms} ms`)), left)
  }

  function pause(): void {
    clearTimeout(timer)
    left = Math.max(0, left - (performance.now() - since))
  }

  const uncounted: Uncounted = async (wait) => {
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

  return { signal: over.signal, run, end, uncounted }
}
