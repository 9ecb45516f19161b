import { setTimeout as wait } from 'node:timers/promises'
import type { FrameTimers } from '../terminal/index.ts'

export const processTimers: FrameTimers = {
  now: () => performance.now(),
  soon: (run) => void setImmediate(run),
  later: (ms, run) => void setTimeout(run, ms),
}

/** Resolves after `ms`, or once the signal is aborted. Never rejects. */
export const pause = (ms: number, signal: AbortSignal): Promise<void> =>
  wait(ms, undefined, { signal }).catch(() => undefined)
