import { setTimeout as wait } from 'node:timers/promises'

/** Resolves after so many milliseconds, and at once when the signal is aborted. Never rejects. */
export async function pause(ms: number, signal: AbortSignal): Promise<void> {
  try {
    await wait(ms, undefined, { signal })
  } catch (error) {
    if (!signal.aborted) throw error
  }
}
