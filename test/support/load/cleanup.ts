import { createDeferred } from '../../../src/base/jobs/waiting.ts'

/** What a run has started. What is added last is ended first. */
export interface Cleanup {
  /** Takes what is being started: it is ended even if the run is over before it has begun. */
  add<T extends AsyncDisposable>(starting: Promise<T>): Promise<T>
}

/** Runs `work`; whether it ends, fails or somebody presses ^C, everything that it added is ended afterwards. */
export async function withCleanup<T>(work: (cleanup: Cleanup) => Promise<T>): Promise<T> {
  const added: Promise<AsyncDisposable>[] = []
  let isOver = false
  const interrupted = createDeferred<never>()
  const interrupt = (): void => interrupted.reject(new Error('interrupted'))
  for (const signal of SIGNALS) process.once(signal, interrupt)
  const cleanup: Cleanup = {
    add(starting) {
      if (isOver) void end(starting)
      else added.push(starting)
      return starting
    },
  }
  const working = work(cleanup)
  try {
    return await Promise.race([working, interrupted.promise])
  } finally {
    working.catch(() => undefined)
    // What was under way may go on for a moment, and start the next thing.
    for (let starting = added.pop(); starting; starting = added.pop()) await end(starting)
    isOver = true
    for (const signal of SIGNALS) process.off(signal, interrupt)
  }
}

async function end(starting: Promise<AsyncDisposable>): Promise<void> {
  const started = await starting.catch(() => undefined)
  await started?.[Symbol.asyncDispose]()
}

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const
