import type { FrameTimers } from '../session/views/frames.ts'

/** The process's own time. */
export const processTimers = (): FrameTimers => ({
  now: () => performance.now(),
  soon: (run) => void setImmediate(run),
  later: (ms, run) => void setTimeout(run, ms),
})
