import type { Account, SchedulerTimers } from '../../lib/jobs/scheduler.ts'
import { fullAfter, type Rate, takeToken } from '../../lib/token-bucket.ts'
import type { Entry } from '../../chat/entry.ts'
import type { PersonalMessage } from '../../chat/talk/personal-message.ts'
import type { Styled } from '../../lib/text/styled.ts'
import type { PrintRole, Terminal } from '../ports.ts'
import type { ReplyPart } from './scrollback.ts'

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

/** Something that stands on the screen for good. */
export type Item =
  /** `waits`: as in `Delivery`. */
  | { readonly type: 'entry'; readonly entry: Entry; readonly waits?: true | undefined }
  | {
      readonly type: 'print'
      readonly text: string | Styled
      readonly role?: PrintRole | undefined
    }
  | {
      readonly type: 'message'
      readonly message: PersonalMessage
      /** Such a message is not skipped; called once the client has read it. */
      readonly onRead?: (() => void) | undefined
    }
  /** A draft that was sent, where the person's own typing is echoed. */
  | { readonly type: 'sent'; readonly text: string }
  /** Units of a reply that is being written. */
  | ({ readonly type: 'part' } & ReplyPart)

/** What one write to the terminal says. */
export interface Composed {
  readonly text: string
  /** How many of the items are in it; at least one if there were any. */
  readonly items: number
  /** Called once the text is on its way. Without it the terminal still shows what it showed. */
  written(): void
}

/** Writes what a view shows, frame by frame. Nothing here throws. */
interface FrameWriter {
  /** Puts an item below the others. */
  add(item: Item): void
  /** Something else has changed. */
  request(): void
  /** The same, of what can wait for a moment. */
  requestCalmly(): void
  /** Nothing is written until the function that it gives is called; not for long where much waits. */
  hold(): () => void
  /** Writes all that waits, now, and nothing by itself after that. */
  close(): void
}

/**
 * Calls `compose` with what waits, once a frame or more often where it does not take all items, and writes what it makes.
 * While the terminal's queue is full nothing is written; items are counted, and the first that stands on the screen
 * afterwards is the line that says how many were skipped; parts of replies and what must be read wait instead. Before
 * each write `gather` is asked for what goes below all that waits. If either throws, `fail` is called.
 */
export function createFrameWriter(
  terminal: Terminal,
  frames: ViewFrames,
  compose: (items: readonly Item[]) => Composed,
  gather: () => readonly Item[],
  fail: (error: unknown) => void,
): FrameWriter {
  let items: Item[] = []
  let skipped = 0
  let isFull = false
  let isClosed = false
  let isHeld = false
  const frame = frames.open(writeAll, fail)

  function writeAll(): void {
    do {
      if (isFull || (isHeld && !isClosed && items.length < MAX_HELD_ITEMS)) return
      items.push(...gather())
      const { text, items: taken, written } = compose(items)
      if (text !== '' && !terminal.write(text)) return skipAll()
      written()
      for (const { onRead } of items.slice(0, taken).filter(isKept)) terminal.whenRead(onRead)
      items = items.slice(taken)
    } while (items.length > 0)
  }

  function skipAll(): void {
    isFull = true
    skipped += items.filter((item) => item.type !== 'sent' && !mayWait(item)).length
    items = items.filter(mayWait)
  }

  terminal.onDrain(() => {
    if (isClosed) return
    isFull = false
    if (skipped > 0) items.unshift({ type: 'print', text: skippedLine(skipped) })
    skipped = 0
    frame.request()
  })

  return {
    add(item) {
      if (isClosed) return
      items.push(item)
      if (isFull) skipAll()
      else frame.request()
    },
    request: frame.request,
    requestCalmly: frame.requestCalmly,
    hold() {
      isHeld = true
      return () => {
        isHeld = false
        frame.request()
      }
    },
    close() {
      frame.close()
      isClosed = true
      try {
        writeAll()
      } catch (error) {
        fail(error)
      }
    },
  }
}

/** A client that does not answer must not make its server keep all that is said. */
const MAX_HELD_ITEMS = 64

const isKept = (item: Item): item is Item & { readonly onRead: () => void } =>
  item.type === 'message' && item.onRead !== undefined

const mayWait = (item: Item): boolean => item.type === 'part' || isKept(item)

const skippedLine = (count: number): string => `[${count} ${count === 1 ? 'message' : 'messages'} skipped]`
