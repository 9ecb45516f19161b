import { createDeferred, type Deferred } from '../deferred.ts'

/**
 * The same items, until the signal is aborted: then it throws the signal's reason at once, whether or not the source
 * heeds the signal. The source is told to end, and nobody waits for that.
 */
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
