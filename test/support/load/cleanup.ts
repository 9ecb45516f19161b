import { createDeferred } from '../../../src/lib/deferred.ts'

/** What a run has started. What is added last is ended first; what is added after the end is ended at once. */
export interface Cleanup {
  add<T extends AsyncDisposable>(started: T): Promise<T>
}

/** Runs `work`; whether it ends, fails or somebody presses ^C, everything that it added is ended afterwards. */
export async function withCleanup<T>(work: (cleanup: Cleanup) => Promise<T>): Promise<T> {
  const started: AsyncDisposable[] = []
  const interrupted = createDeferred<never>()
  let isOver = false
  const interrupt = (): void => interrupted.reject(new Error('interrupted'))
  for (const signal of SIGNALS) process.once(signal, interrupt)
  const cleanup: Cleanup = {
    async add(one) {
      if (isOver) await one[Symbol.asyncDispose]()
      else started.push(one)
      return one
    },
  }
  try {
    return await Promise.race([work(cleanup), interrupted.promise])
  } finally {
    isOver = true
    for (const one of started.toReversed()) await one[Symbol.asyncDispose]()
    for (const signal of SIGNALS) process.off(signal, interrupt)
  }
}

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const
