import { type Addressed, createAddressed } from '../chat/addressed.ts'
import type { Clock, Log } from '../chat/ports.ts'
import type { NameColour } from '../chat/preferences/options.ts'
import { createDrawCall, type DrawCall } from './drawing/call-row.ts'
import { createDrawEntry, type DrawEntry } from './drawing/entry-rows.ts'
import { createRedraw, type Redraw } from './drawing/region.ts'
import type { LazyMarkdown } from './markdown/highlight.ts'
import { createNameColours } from './drawing/theme.ts'
import { createFrames, type Frames, type FrameTimers } from './frames.ts'

/** What all sessions of a process share, so that none costs what all could have together. */
export interface SharedBySessions {
  readonly frames: Frames
  readonly drawEntry: DrawEntry
  readonly drawCall: DrawCall
  readonly redraw: Redraw
  readonly addressed: Addressed
  /** Milliseconds that never go back. */
  now(): number
  readonly markdown: LazyMarkdown
  /** Milliseconds since the epoch. */
  wallNow(): number
  readonly log: Log
}

/** What sessions share that others have, too. */
interface SharedParts {
  readonly markdown: LazyMarkdown
  readonly clock: Clock
  readonly log: Log
}

/** To be made once for a process. `colourOf` gives the colour that somebody chose for their name. */
export const createShared = (
  timers: FrameTimers,
  { markdown, clock, log }: SharedParts,
  colourOf: (name: string) => NameColour | undefined = () => undefined,
): SharedBySessions => ({
  frames: createFrames(timers),
  drawEntry: createDrawEntry(markdown.tools, createNameColours(colourOf)),
  drawCall: createDrawCall(),
  redraw: createRedraw(),
  addressed: createAddressed(),
  markdown,
  now: () => timers.now(),
  wallNow: () => clock.now(),
  log,
})
