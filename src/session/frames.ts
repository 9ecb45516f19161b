import type { Account, SchedulerTimers } from '../lib/jobs/scheduler.ts'
import { fullAfter, takeToken, type Rate } from '../lib/token-bucket.ts'

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
interface Frame {
  /** Something has changed. It is painted once for all changes that come before it is. */
  request(): void
  /** As `request`, for what nobody waits for: where such changes go on, they are painted a few times a second. */
  requestCalmly(): void
  /** Ends the painting. */
  close(): void
}

/** Under load a screen is painted this often: 30 times a second. */
export const FRAME_MS = 33

/** A frame waits at least so long for what comes meanwhile, so that a server which needs longer than a frame to paint all paints fewer. */
const SHORTEST_WAIT_MS = FRAME_MS / 2

/** After a quiet time so many changes are painted at once, each by itself, before a screen waits for its frame. */
const RATE: Rate = { burst: 8, everyMs: FRAME_MS }

/** The same for changes that can wait: while a crowd comes in, everybody's screen says so, and nobody can read it 30 times a second. */
const CALM_RATE: Rate = { burst: 2, everyMs: 250 }

interface WaitingScreen {
  readonly account: Account
  readonly paintNow: () => void
  fullAt: number
  calmFullAt: number
  isWaiting: boolean
  isWaitingCalmly: boolean
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
  let calm: WaitingScreen[] = []
  let lastFrameAt = -Infinity

  function paintReady(): void {
    const views = ready
    ready = []
    for (const view of views) void view.account.run(view.paintNow)
  }

  function paintFrame(): void {
    const at = now()
    lastFrameAt = at
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
      if (forFrame.push(view) === 1)
        later(Math.max(SHORTEST_WAIT_MS, lastFrameAt + FRAME_MS - now()), paintFrame)
      return
    }
    view.fullAt = fullAt
    if (ready.push(view) === 1) soon(paintReady)
  }

  function requestCalmly(view: WaitingScreen): void {
    if (view.isWaiting || view.isWaitingCalmly || view.isClosed) return
    const fullAt = takeToken(view.calmFullAt, now(), CALM_RATE)
    if (fullAt !== undefined) {
      view.calmFullAt = fullAt
      return request(view)
    }
    view.isWaitingCalmly = true
    if (calm.push(view) === 1) later(CALM_RATE.everyMs, requestCalm)
  }

  /** Those that were painted for something else meanwhile have nothing left to paint. */
  function requestCalm(): void {
    const views = calm.filter((view) => view.isWaitingCalmly)
    calm = []
    for (const view of views) {
      view.calmFullAt = fullAfter(view.calmFullAt, now(), CALM_RATE.everyMs)
      request(view)
    }
  }

  return {
    of: (account) => ({
      open(paint, fail) {
        const view = newScreen(account, paint, fail)
        return {
          request: () => request(view),
          requestCalmly: () => requestCalmly(view),
          close: () => void (view.isClosed = true),
        }
      },
    }),
  }
}

function newScreen(account: Account, paint: () => void, fail: (error: unknown) => void): WaitingScreen {
  function paintNow(): void {
    view.isWaiting = false
    view.isWaitingCalmly = false
    if (view.isClosed) return
    try {
      paint()
    } catch (error) {
      view.isClosed = true
      fail(error)
    }
  }
  const view: WaitingScreen = {
    account,
    paintNow,
    fullAt: 0,
    calmFullAt: 0,
    isWaiting: false,
    isWaitingCalmly: false,
    isClosed: false,
  }
  return view
}
