import type { Account, SchedulerTimers } from '../../lib/jobs/scheduler.ts'
import { counted } from '../../lib/plural.ts'
import { fullAfter, type Rate, takeToken } from '../../lib/token-bucket.ts'
import type { Entry } from '../../chat/entry.ts'
import type { PersonalMessage } from '../../chat/talk/direct-messages.ts'
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

/** How a `FrameWriter` asks for what it writes. */
interface FrameSource {
  /** Called with what waits, once a frame, or more often if it does not take all items. */
  readonly compose: (items: readonly Item[]) => Composed
  /** Asked before each write for what goes below all that waits. */
  readonly gather: () => readonly Item[]
  /** Called if either of them throws. */
  readonly fail: (error: unknown) => void
}

/**
 * Writes what a view shows, frame by frame; nothing here throws. While the terminal's queue is full nothing is written:
 * items are counted, and the first that stands on the screen afterwards is the line that says how many were skipped. Parts
 * of replies and what must be read wait instead.
 */
export class FrameWriter {
  readonly #terminal: Terminal
  readonly #source: FrameSource
  readonly #frame: Frame
  #items: Item[] = []
  #skipped = 0
  #isFull = false
  #isClosed = false
  #isHeld = false

  constructor(terminal: Terminal, frames: ViewFrames, source: FrameSource) {
    this.#terminal = terminal
    this.#source = source
    this.#frame = frames.open(() => this.#writeAll(), source.fail)
    terminal.onDrain(() => this.#onDrain())
  }

  /** Puts an item below the others. */
  add(item: Item): void {
    if (this.#isClosed) return
    this.#items.push(item)
    if (this.#isFull) this.#skipAll()
    else this.request()
  }

  /** Something else has changed. */
  request(): void {
    this.#frame.request()
  }

  /** The same, of what can wait for a moment. */
  requestCalmly(): void {
    this.#frame.requestCalmly()
  }

  /** Nothing is written until the function that it returns is called; not for long if much waits. */
  hold(): () => void {
    this.#isHeld = true
    return () => {
      this.#isHeld = false
      this.request()
    }
  }

  /** Writes all that waits, now, and nothing by itself after that. */
  close(): void {
    this.#frame.close()
    this.#isClosed = true
    try {
      this.#writeAll()
    } catch (error) {
      this.#source.fail(error)
    }
  }

  #writeAll(): void {
    do {
      const isHeld = this.#isHeld && !this.#isClosed && this.#items.length < MAX_HELD_ITEMS
      if (this.#isFull || isHeld) return
      this.#items.push(...this.#source.gather())
      const { text, items: taken, written } = this.#source.compose(this.#items)
      if (text !== '' && !this.#terminal.write(text)) return this.#skipAll()
      written()
      for (const { onRead } of this.#items.slice(0, taken).filter(isKept)) this.#terminal.whenRead(onRead)
      this.#items = this.#items.slice(taken)
    } while (this.#items.length > 0)
  }

  #skipAll(): void {
    this.#isFull = true
    this.#skipped += this.#items.filter((item) => item.type !== 'sent' && !mayWait(item)).length
    this.#items = this.#items.filter(mayWait)
  }

  #onDrain(): void {
    if (this.#isClosed) return
    this.#isFull = false
    if (this.#skipped > 0) this.#items.unshift({ type: 'print', text: skippedLine(this.#skipped) })
    this.#skipped = 0
    this.request()
  }
}

/** A client that does not answer must not make its server keep all that is said. */
const MAX_HELD_ITEMS = 64

const isKept = (item: Item): item is Item & { readonly onRead: () => void } =>
  item.type === 'message' && item.onRead !== undefined

const mayWait = (item: Item): boolean => item.type === 'part' || isKept(item)

const skippedLine = (count: number): string => `[${counted(count, 'message')} skipped]`
