import type { Alarm } from '../chat/ports.ts'

/** Things that are so for a moment after they happened, by their keys. */
export interface Moments {
  /** It happened just now; `over` is called when it was not repeated for as long as a moment lasts. */
  begin(key: string, over: () => void): void
  isNow(key: string): boolean
}

/** `ms`: how long a moment lasts. */
export function createMoments(ms: number, clock: Alarm): Moments {
  const last = new Map<string, object>()
  return {
    begin(key, over) {
      const moment = {}
      last.set(key, moment)
      clock.later(ms, () => {
        if (last.get(key) !== moment) return
        last.delete(key)
        over()
      })
    },
    isNow: (key) => last.has(key),
  }
}
