import type { Account, SchedulerTimers } from '../../lib/jobs/scheduler.ts'
import { counted } from '../../lib/amounts.ts'
import { fullAfter, type Rate, takeToken } from '../../lib/token-bucket.ts'
import type { Entry } from '../../chat/entry.ts'
import type { PersonalMessage } from '../../chat/talk/direct-messages.ts'
import type { Styled } from '../../lib/text/styled.ts'
import type { PrintRole, Terminal } from '../ports.ts'
import type { ReplyPart } from './scrollback.ts'

export interface FrameTimers extends SchedulerTimers {
  later(ms: number, run: () => void): void
}

export const FRAME_MS = 33

/** If painting all screens takes longer than a frame, fewer frames are painted. */
const SHORTEST_WAIT_MS = FRAME_MS / 2

const RATE: Rate = { burst: 8, everyMs: FRAME_MS }

/** Nobody can read 30 times a second who came and went. */
const CALM_RATE: Rate = { burst: 2, everyMs: 250 }

/**
 * A quiet view is painted in the next pass of the event loop, a busy one in the next frame. One timer serves
 * all.
 */
export class Frames {
  readonly #timers: FrameTimers
  #ready: Frame[] = []
  #forFrame: Frame[] = []
  #calm: Frame[] = []
  #lastFrameAt = -Infinity

  constructor(timers: FrameTimers) {
    this.#timers = timers
  }

  now(): number {
    return this.#timers.now()
  }

  paintSoon(frame: Frame): void {
    if (this.#ready.push(frame) === 1) this.#timers.soon(() => this.#paintReady())
  }

  paintInFrame(frame: Frame): void {
    const wait = Math.max(SHORTEST_WAIT_MS, this.#lastFrameAt + FRAME_MS - this.now())
    if (this.#forFrame.push(frame) === 1) this.#timers.later(wait, () => this.#paintFrame())
  }

  requestLater(frame: Frame): void {
    if (this.#calm.push(frame) > 1) return
    this.#timers.later(CALM_RATE.everyMs, () => {
      for (const one of this.#calm.splice(0)) one.requestCalm()
    })
  }

  #paintReady(): void {
    for (const frame of this.#ready.splice(0)) frame.paint()
  }

  #paintFrame(): void {
    this.#lastFrameAt = this.now()
    for (const frame of this.#forFrame) frame.count(this.#lastFrameAt)
    this.#ready.push(...this.#forFrame.splice(0))
    this.#paintReady()
  }
}

/** Paints one view. If `paint` throws, it is called no more, but `fail` is. */
export class Frame {
  readonly #frames: Frames
  readonly #account: Account
  readonly #paint: () => void
  readonly #fail: (error: unknown) => void
  #fullAt = 0
  #calmFullAt = 0
  #isWaiting = false
  #isWaitingCalmly = false
  #isClosed = false

  constructor(frames: Frames, account: Account, paint: () => void, fail: (error: unknown) => void) {
    this.#frames = frames
    this.#account = account
    this.#paint = paint
    this.#fail = fail
  }

  request(): void {
    if (this.#isWaiting || this.#isClosed) return
    this.#isWaiting = true
    const fullAt = takeToken(this.#fullAt, this.#frames.now(), RATE)
    if (fullAt === undefined) return this.#frames.paintInFrame(this)
    this.#fullAt = fullAt
    this.#frames.paintSoon(this)
  }

  /** For changes that can wait. */
  requestCalmly(): void {
    if (this.#isWaiting || this.#isWaitingCalmly || this.#isClosed) return
    const fullAt = takeToken(this.#calmFullAt, this.#frames.now(), CALM_RATE)
    if (fullAt === undefined) {
      this.#isWaitingCalmly = true
      return this.#frames.requestLater(this)
    }
    this.#calmFullAt = fullAt
    this.request()
  }

  requestCalm(): void {
    if (!this.#isWaitingCalmly) return
    this.#calmFullAt = fullAfter(this.#calmFullAt, this.#frames.now(), CALM_RATE.everyMs)
    this.request()
  }

  count(at: number): void {
    this.#fullAt = Math.min(at + RATE.burst * FRAME_MS, Math.max(this.#fullAt, at) + FRAME_MS)
  }

  paint(): void {
    void this.#account.run(() => {
      this.#isWaiting = false
      this.#isWaitingCalmly = false
      if (this.#isClosed) return
      try {
        this.#paint()
      } catch (error) {
        this.#isClosed = true
        this.#fail(error)
      }
    })
  }

  close(): void {
    this.#isClosed = true
  }
}

export type Item =
  | { readonly type: 'entry'; readonly entry: Entry; readonly waits?: true | undefined }
  | {
      readonly type: 'print'
      readonly text: string | Styled
      readonly role?: PrintRole | undefined
    }
  | {
      readonly type: 'message'
      readonly message: PersonalMessage
      /** As in `Screen`. */
      readonly onRead?: (() => void) | undefined
    }
  /** A draft that was sent. */
  | { readonly type: 'sent'; readonly text: string }
  | ({ readonly type: 'part' } & ReplyPart)

export interface Composed {
  readonly text: string
  /** At least one if there were any. */
  readonly items: number
  /** Called once the text is queued. */
  written(): void
}

interface FrameSource {
  readonly frames: Frames
  readonly account: Account
  readonly compose: (items: readonly Item[]) => Composed
  /** Gives items below those that wait. */
  readonly gather?: () => readonly Item[]
  readonly fail: (error: unknown) => void
}

/** For clients that do not answer. */
const MAX_HELD_ITEMS = 64

/**
 * Writes frame by frame; never throws. While the terminal's queue is full, items are counted and dropped, and
 * a line says later how many. Parts of replies and messages with `onRead` wait instead.
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

  constructor(terminal: Terminal, source: FrameSource) {
    this.#terminal = terminal
    this.#source = source
    this.#frame = new Frame(source.frames, source.account, () => this.#writeAll(), source.fail)
    terminal.onDrain(() => this.#onDrain())
  }

  add(item: Item): void {
    if (this.#isClosed) return
    this.#items.push(item)
    if (this.#isFull) this.#skipAll()
    else this.request()
  }

  request(): void {
    this.#frame.request()
  }

  requestCalmly(): void {
    this.#frame.requestCalmly()
  }

  /** Writes nothing until `release`, or until 64 items wait. */
  hold(): void {
    this.#isHeld = true
  }

  release(): void {
    this.#isHeld = false
    this.request()
  }

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
      this.#items.push(...(this.#source.gather?.() ?? []))
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
    const text = `[${counted(this.#skipped, 'message')} skipped]`
    if (this.#skipped > 0) this.#items.unshift({ type: 'print', text })
    this.#skipped = 0
    this.request()
  }
}

const isKept = (item: Item): item is Item & { readonly onRead: () => void } =>
  item.type === 'message' && item.onRead !== undefined

const mayWait = (item: Item): boolean => item.type === 'part' || isKept(item)
