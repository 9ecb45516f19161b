import type { Log } from '../chat/ports.ts'
import { createDrawEntry, type DrawEntry } from './drawing/drawn-text.ts'
import { createFrames, type Frames, type FrameTimers } from './frames.ts'

/** What all sessions of a process share, so that none costs what all could have together. */
export interface SharedBySessions {
  readonly frames: Frames
  readonly drawEntry: DrawEntry
  /** Milliseconds that never go back. */
  now(): number
  readonly log: Log
}

/** To be made once for a process. */
export const createShared = (timers: FrameTimers, log: Log): SharedBySessions => ({
  frames: createFrames(timers),
  drawEntry: createDrawEntry(),
  now: () => timers.now(),
  log,
})
