import type { PersonalMessage } from '../../chat/talk/index.ts'
import type { Account, SchedulerTimers } from '../../base/jobs/scheduler.ts'
import { counted } from '../../base/amounts.ts'
import { fullAfter, type Rate, takeToken } from '../../base/token-bucket.ts'
import type { Entry } from '../../words/entry.ts'
import type { StyledText } from '../../base/text/styled.ts'
import type { ReplyPart } from '../drawing/streamed-reply.ts'
import type { Delivery, PrintRole, Terminal } from '../ports.ts'

export interface FrameTimers extends SchedulerTimers {
  later(ms: number, run: () => void): void
}

export const FRAME_MS = 33

/** Least pause before a frame, so that fewer frames are painted if painting takes longer than a frame. */
const SHORTEST_WAIT_MS = FRAME_MS / 2

const RATE: Rate = { burst: 8, everyMs: FRAME_MS }

/** For joins and leaves, which nobody can read 30 times a second. */
const CALM_RATE: Rate = { burst: 2, everyMs: 250 }

/** Paints quiet views in the next pass of the event loop, busy views in the next frame, with one timer. */
export class Frames {
  readonly timers: FrameTimers
  #ready: FrameWriter[] = []
  #forFrame: FrameWriter[] = []
  #lastFrameAt = -Infinity

  constructor(timers: FrameTimers) {
    this.timers = timers
  }

  paintSoon(view: FrameWriter): void {
    if (this.#ready.push(view) === 1) this.timers.soon(() => this.#paintReady())
  }

  paintInFrame(view: FrameWriter): void {
    const wait = Math.max(SHORTEST_WAIT_MS, this.#lastFrameAt + FRAME_MS - this.timers.now())
    if (this.#forFrame.push(view) === 1) this.timers.later(wait, () => this.#paintFrame())
  }

  #paintReady(): void {
    for (const view of this.#ready.splice(0)) view.paint()
  }

  #paintFrame(): void {
    this.#lastFrameAt = this.timers.now()
    for (const view of this.#forFrame) view.countFrame(this.#lastFrameAt)
    this.#ready.push(...this.#forFrame.splice(0))
    this.#paintReady()
  }
}

export type Item =
  | { readonly type: 'entry'; readonly entry: Entry; readonly how?: Delivery | undefined }
  | { readonly type: 'print'; readonly text: string | StyledText; readonly role?: PrintRole | undefined }
  | {
      readonly type: 'message'
      readonly message: PersonalMessage
      readonly onRead?: (() => void) | undefined
    }
  /** The line that the person entered. */
  | { readonly type: 'line'; readonly text: string }
  | ({ readonly type: 'part' } & ReplyPart)

export interface ComposedFrame {
  readonly text: string
  /** How many items `text` contains; at least one if there were any. */
  readonly items: number
  written(): void
}

interface FrameSource {
  readonly frames: Frames
  readonly account: Account
  readonly compose: (items: readonly Item[]) => ComposedFrame
  readonly gather?: () => readonly Item[]
  /** Called if `compose` throws; then nothing more is painted. */
  readonly fail: (error: unknown) => void
}

/** Items after which a held view is written anyway, since a client may never answer. */
const MAX_HELD_ITEMS = 64

/**
 * Writes one view frame by frame; never throws. While the terminal's queue is full, items are dropped, and a
 * later line says how many. Parts of replies and messages with `onRead` wait instead.
 */
export class FrameWriter {
  readonly #terminal: Terminal
  readonly #source: FrameSource
  #items: Item[] = []
  #skipped = 0
  #isQueueFull = false
  #isHeld = false
  #isClosed = false
  /** Token buckets, as `takeToken` counts. */
  #bucket = 0
  #calmBucket = 0
  #isWaiting = false
  #isWaitingCalmly = false

  constructor(terminal: Terminal, source: FrameSource) {
    this.#terminal = terminal
    this.#source = source
  }

  add(item: Item): void {
    if (this.#isClosed) return
    this.#items.push(item)
    if (this.#isQueueFull) this.#skipAll()
    else this.request()
  }

  request(): void {
    if (this.#isWaiting || this.#isClosed) return
    this.#isWaiting = true
    const { frames } = this.#source
    const taken = takeToken(this.#bucket, frames.timers.now(), RATE)
    if (taken === undefined) return frames.paintInFrame(this)
    this.#bucket = taken
    frames.paintSoon(this)
  }

  /** Requests a frame for a change that can wait 250 ms. */
  requestCalmly(): void {
    if (this.#isWaiting || this.#isWaitingCalmly || this.#isClosed) return
    const { timers } = this.#source.frames
    const taken = takeToken(this.#calmBucket, timers.now(), CALM_RATE)
    if (taken !== undefined) {
      this.#calmBucket = taken
      return this.request()
    }
    this.#isWaitingCalmly = true
    timers.later(CALM_RATE.everyMs, () => {
      if (!this.#isWaitingCalmly) return
      this.#calmBucket = fullAfter(this.#calmBucket, timers.now(), CALM_RATE.everyMs)
      this.request()
    })
  }

  countFrame(at: number): void {
    this.#bucket = Math.min(at + RATE.burst * FRAME_MS, Math.max(this.#bucket, at) + FRAME_MS)
  }

  paint(): void {
    void this.#source.account.run(() => {
      this.#isWaiting = this.#isWaitingCalmly = false
      if (!this.#isClosed) this.#write()
    })
  }

  /** Writes nothing until `release`, or until 64 items wait. */
  hold(): void {
    this.#isHeld = true
  }

  release(): void {
    this.#isHeld = false
    this.request()
  }

  /** Called when the terminal's queue is empty again. */
  drained(): void {
    if (this.#isClosed) return
    this.#isQueueFull = false
    const text = `[${counted(this.#skipped, 'message')} skipped]`
    if (this.#skipped > 0) this.#items.unshift({ type: 'print', text })
    this.#skipped = 0
    this.request()
  }

  close(): void {
    this.#isClosed = true
    this.#isHeld = false
    this.#write()
  }

  #write(): void {
    try {
      do {
        const isHeld = this.#isHeld && this.#items.length < MAX_HELD_ITEMS
        if (this.#isQueueFull || isHeld) return
        this.#items.push(...(this.#source.gather?.() ?? []))
        const { text, items: taken, written } = this.#source.compose(this.#items)
        if (text !== '' && !this.#terminal.write(text)) return this.#skipAll()
        written()
        for (const { onRead } of this.#items.slice(0, taken).filter(isKept)) this.#terminal.whenRead(onRead)
        this.#items = this.#items.slice(taken)
      } while (this.#items.length > 0)
    } catch (error) {
      this.#isClosed = true
      this.#source.fail(error)
    }
  }

  #skipAll(): void {
    this.#isQueueFull = true
    this.#skipped += this.#items.filter((item) => item.type !== 'line' && !mayWait(item)).length
    this.#items = this.#items.filter(mayWait)
  }
}

const isKept = (item: Item): item is Item & { readonly onRead: () => void } =>
  item.type === 'message' && item.onRead !== undefined

const mayWait = (item: Item): boolean => item.type === 'part' || isKept(item)
