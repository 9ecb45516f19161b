/** Calls `listener` once, when the signal is aborted: at once if it is already. */
export function whenAborted(signal: AbortSignal, listener: () => void): void {
  if (signal.aborted) listener()
  else signal.addEventListener('abort', listener, { once: true })
}

/** Resolves when the signal is aborted. */
export const aborted = async (signal: AbortSignal): Promise<void> =>
  await new Promise((resolve) => whenAborted(signal, resolve))
