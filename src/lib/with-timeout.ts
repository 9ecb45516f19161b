/**
 * Runs `job` with a signal that is aborted after `ms` milliseconds (reason: a `DOMException` named
 * `TimeoutError`) or when `outer` is (its reason). Rejects with the reason at that moment, whether or not
 * the job heeds the signal. No timer is left behind.
 */
export async function withTimeout<T>(
  ms: number,
  job: (signal: AbortSignal) => Promise<T>,
  outer?: AbortSignal,
): Promise<T> {
  const ending = new AbortController()
  const timer = setTimeout(() => ending.abort(new DOMException(`no end after ${ms} ms`, 'TimeoutError')), ms)
  const follow = (): void => ending.abort(outer?.reason)
  if (outer?.aborted) follow()
  outer?.addEventListener('abort', follow, { once: true })
  try {
    return await Promise.race([job(ending.signal), rejectOnAbort(ending.signal)])
  } finally {
    clearTimeout(timer)
    outer?.removeEventListener('abort', follow)
  }
}

function rejectOnAbort(signal: AbortSignal): Promise<never> {
  return new Promise((_resolve, reject) => {
    if (signal.aborted) reject(signal.reason)
    else signal.addEventListener('abort', () => reject(signal.reason), { once: true })
  })
}
