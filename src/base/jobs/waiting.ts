export interface Deferred<T> {
  readonly promise: Promise<T>
  resolve(value: T): void
  reject(reason: unknown): void
}

/** Replaces `Promise.withResolvers`, which Node 20 lacks. */
export function createDeferred<T>(): Deferred<T> {
  let resolve!: (value: T) => void
  let reject!: (reason: unknown) => void
  const promise = new Promise<T>((onResolve, onReject) => {
    resolve = onResolve
    reject = onReject
  })
  return { promise, resolve, reject }
}

/** Calls `listener` on abort, or at once if the signal is aborted already. */
export function whenAborted(signal: AbortSignal, listener: () => void): void {
  if (signal.aborted) listener()
  else signal.addEventListener('abort', listener, { once: true })
}

export const aborted = async (signal: AbortSignal): Promise<void> =>
  await new Promise((resolve) => whenAborted(signal, resolve))

/** Yields the source's items. Throws the signal's reason on abort, without waiting for the source to end. */
export async function* untilAborted<T>(source: AsyncIterable<T>, signal: AbortSignal): AsyncGenerator<T> {
  const items = source[Symbol.asyncIterator]()
  let next: Deferred<IteratorResult<T>> | undefined
  const stop = (): void => next?.reject(signal.reason)
  signal.addEventListener('abort', stop)
  try {
    for (;;) {
      signal.throwIfAborted()
      next = createDeferred()
      items.next().then(next.resolve, next.reject)
      const { done, value } = await next.promise
      if (done) return
      yield value
    }
  } finally {
    signal.removeEventListener('abort', stop)
    items.return?.().catch(() => undefined)
  }
}

/** Resolves when all work has settled, or after `ms`. Never rejects. */
export async function settledWithin(ms: number, work: Iterable<Promise<unknown>>): Promise<void> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, ms)
  })
  await Promise.race([Promise.allSettled(work), late])
  clearTimeout(timer)
}

const MIN_PROGRESS_BYTES = 1_024

/** Detects that fewer than 1,024 bytes are sent in a period while output waits. */
export interface ProgressTimer {
  isRunning(): boolean
  run(): void
  moved(bytes: number): void
  stop(): void
}

export function createProgressTimer(ms: number, onStall: () => void): ProgressTimer {
  let timer: NodeJS.Timeout | undefined
  let progress = 0
  return {
    isRunning: () => timer !== undefined,
    run() {
      timer ??= setTimeout(onStall, ms)
      if (progress < MIN_PROGRESS_BYTES) return
      progress = 0
      timer.refresh()
    },
    moved: (bytes) => void (progress += bytes),
    stop() {
      clearTimeout(timer)
      timer = undefined
      progress = 0
    },
  }
}
