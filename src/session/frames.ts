import type { Account, SchedulerTimers } from '../lib/jobs/scheduler.ts'
import { takeToken, type Rate } from '../lib/token-bucket.ts'

/** Time for frames; tests hold it in their hands. */
export interface FrameTimers extends SchedulerTimers {
  later(ms: number, run: () => void): void
}

/** Decides when the views of all sessions are painted. */
export interface Frames {
  /** Those whose painting is charged to that account. */
  of(account: Account): ViewFrames
}

/** Makes frames for the views of one session. */
export interface ViewFrames {
  /** A view that `paint` paints. If it throws, `fail` is called, and the view is painted no more. */
  open(paint: () => void, fail: (error: unknown) => void): Frame
}

/** When one view is painted. */
export interface Frame {
  /** Something has changed. It is painted once for all changes that come before it is. */
  request(): void
  /** Ends the painting. */
  close(): void
}

/** Under load a screen is painted this often: 30 times a second. */
export const FRAME_MS = 33

/** After a quiet time so many changes are painted at once, each by itself, before a screen waits for its frame. */
const RATE: Rate = { burst: 8, everyMs: FRAME_MS }

interface WaitingScreen {
  readonly account: Account
  readonly paint: () => void
  readonly fail: (error: unknown) => void
  fullAt: number
  isWaiting: boolean
  isClosed: boolean
}

/**
 * A view that was quiet is painted at once, which is in the next pass of the event loop, so that all that comes in one
 * pass is painted together. The others wait for the next frame; one timer serves all of them, and none runs while
 * nobody waits.
 */
export function createFrames({ now, soon, later }: FrameTimers): Frames {
  let ready: WaitingScreen[] = []
  let forFrame: WaitingScreen[] = []

  function paintReady(): void {
    const views = ready
    ready = []
    for (const view of views) void view.account.run(() => paint(view))
  }

  function paintFrame(): void {
    const at = now()
    const emptyAt = at + RATE.burst * FRAME_MS
    for (const view of forFrame) view.fullAt = Math.min(emptyAt, Math.max(view.fullAt, at) + FRAME_MS)
    ready.push(...forFrame)
    forFrame = []
    paintReady()
  }

  function request(view: WaitingScreen): void {
    if (view.isWaiting || view.isClosed) return
    view.isWaiting = true
    const fullAt = takeToken(view.fullAt, now(), RATE)
    if (fullAt === undefined) {
      if (forFrame.push(view) === 1) later(FRAME_MS, paintFrame)
      return
    }
    view.fullAt = fullAt
    if (ready.push(view) === 1) soon(paintReady)
  }

  return {
    of: (account) => ({
      open(paint, fail) {
        const view: WaitingScreen = { account, paint, fail, fullAt: 0, isWaiting: false, isClosed: false }
        return { request: () => request(view), close: () => void (view.isClosed = true) }
      },
    }),
  }
}

function paint(view: WaitingScreen): void {
  view.isWaiting = false
  if (view.isClosed) return
  try {
    view.paint()
  } catch (error) {
    view.isClosed = true
    view.fail(error)
  }
}
