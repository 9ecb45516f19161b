import { setTimeout as wait } from 'node:timers/promises'

/**
 * Has something done a while after it was asked for, and once for all who ask meanwhile: servers may say that their list
 * changed as often as they like. `pause` resolves when the while is over; `work` must not reject.
 */
export function createDelayed(pause: () => Promise<unknown>, work: () => Promise<unknown>): () => void {
  let isDue = false
  return () => {
    if (isDue) return
    isDue = true
    void (async () => {
      await pause()
      isDue = false
      await work()
    })()
  }
}

/** Does it the first time only. */
export function once(work: () => void): () => void {
  let isDone = false
  return () => {
    if (!isDone) work()
    isDone = true
  }
}

/** False if it was cut short. Keeps no process alive. */
export const pause = (ms: number, signal: AbortSignal): Promise<boolean> =>
  wait(ms, true, { signal, ref: false }).catch(() => false)
