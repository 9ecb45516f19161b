import type { Socket } from 'node:net'
import type { ServerChannel } from 'ssh2'
import { duration } from '../../lib/amounts.ts'
import { createProgressTimer, type ProgressTimer } from '../../lib/jobs/waiting.ts'
import { sendableBytes, sendPacket } from './ssh2-internals.ts'

/** Which of a channel's two streams. */
export type Stream = 'out' | 'err'

/** The connection that channels are on. */
export interface Carrier {
  readonly socket: Socket
  /** Called each time more may be sent. A function removes itself once it has nothing left to send. */
  readonly waiting: Set<() => void>
  /** Calls `listener` once the client has read all that was sent by now; never if it goes away first. */
  whenAcknowledged(listener: () => void): void
  /** Closes the connection; `why` is logged, and told to the client. */
  drop(why: string): void
}

/** What may wait to be sent. */
export interface SendLimits {
  /** On one channel. */
  readonly bytes: number
  /** A client that takes almost nothing for this long while something waits is dropped. */
  readonly stallMs: number
  /** On all channels of the server. */
  readonly all: SendQueues
}

interface Piece {
  readonly bytes: Buffer
  readonly stream: Stream
}

/** One piece is one SSH packet. */
const MAX_PIECE_BYTES = 32 * 1024

/**
 * What is still to be sent on one channel, in order. What was pushed in one go is sent as one packet, in a microtask.
 * Only what a slow client cannot take yet stays in the queue, and only then there is a timer. Nothing throws or rejects.
 */
export class Outbox {
  readonly #channel: ServerChannel
  readonly #carrier: Carrier
  readonly #queues: SendQueues
  readonly #stall: ProgressTimer
  readonly #onEmpty: () => void
  readonly #queue: Piece[] = []
  #waiters: { readonly bytes: number; readonly done: () => void }[] = []
  #size = 0
  /** The size that `SendQueues` knows. */
  #counted = 0
  #isScheduled = false
  #isOver = false

  /** `onEmpty` is called each time the queue has become empty. */
  constructor(channel: ServerChannel, carrier: Carrier, limits: SendLimits, onEmpty = (): void => undefined) {
    const { stallMs, all } = limits
    this.#channel = channel
    this.#carrier = carrier
    this.#queues = all
    this.#onEmpty = onEmpty
    this.#stall = createProgressTimer(stallMs, () =>
      carrier.drop(`almost nothing was read for ${duration(stallMs)} (stall_s)`),
    )
  }

  /** Bytes that were not handed to the connection yet. */
  size(): number {
    return this.#size
  }

  push(text: string, stream: Stream): void {
    if (this.#isOver || text === '') return
    const bytes = Buffer.from(text, 'utf8')
    this.#queue.push({ bytes, stream })
    this.#size += bytes.length
    if (this.#stall.isRunning()) return this.#count()
    if (this.#isScheduled) return
    this.#isScheduled = true
    queueMicrotask(this.#pump)
  }

  /** Resolves once at most `bytes` are left to send, or the client is gone. */
  drainedTo(bytes: number): Promise<void> {
    if (this.#size <= bytes) return Promise.resolve()
    return new Promise((done) => this.#waiters.push({ bytes, done }))
  }

  /** Calls `listener` once the client has read all that was pushed by now; never if it goes away first. */
  whenAcknowledged(listener: () => void): void {
    void this.drainedTo(0).then(() => this.#isOver || this.#carrier.whenAcknowledged(listener))
  }

  /** Sends all that is left, the exit status and the end, and closes the channel. */
  async finish(exitStatus: number): Promise<void> {
    await this.drainedTo(0)
    if (this.#isOver) return
    try {
      this.#channel.exit(exitStatus)
      this.#channel.end()
    } catch {
      // The connection broke between the check and the call: there is nobody to tell.
    }
  }

  /** The client is gone, or is dropped with the longest queue: drops what is left and all that will come. */
  abandon(): void {
    this.#isOver = true
    this.#queue.length = this.#size = 0
    this.#stopWaiting()
    this.#releaseWaiters()
  }

  dropClient(why: string): void {
    this.abandon()
    this.#carrier.drop(why)
  }

  /** Sends what can be sent. Called again whenever that may be more. */
  readonly #pump = (): void => {
    this.#isScheduled = false
    const before = this.#size
    for (let free = this.#sendable(); free > 0 && this.#queue.length > 0; free = this.#sendable()) {
      const piece = takePiece(this.#queue, free)
      this.#size -= piece.bytes.length
      this.#send(piece)
    }
    this.#stall.moved(before - this.#size)
    if (this.#size > 0) this.#wait()
    else this.#stopWaiting()
    this.#releaseWaiters()
    if (before > 0 && this.#size === 0 && !this.#isOver) this.#onEmpty()
  }

  /** Nothing may be written past a socket that is full: its buffer has no end. */
  #sendable(): number {
    return this.#carrier.socket.writableNeedDrain
      ? 0
      : Math.min(sendableBytes(this.#channel), MAX_PIECE_BYTES)
  }

  #send({ bytes, stream }: Piece): void {
    try {
      sendPacket(this.#channel, bytes, stream)
    } catch {
      // ssh2 throws once the connection has ended: there is nobody to tell.
      this.abandon()
    }
  }

  #wait(): void {
    this.#count()
    if (this.#size === 0) return
    this.#carrier.waiting.add(this.#pump)
    this.#stall.run()
  }

  #stopWaiting(): void {
    this.#count()
    this.#carrier.waiting.delete(this.#pump)
    this.#stall.stop()
  }

  /** A queue that empties within one tick is never counted. */
  #count(): void {
    const change = this.#size - this.#counted
    this.#counted = this.#size
    if (change !== 0) this.#queues.changed(this, change)
  }

  #releaseWaiters(): void {
    if (this.#waiters.length === 0) return
    const isReady = ({ bytes }: { readonly bytes: number }): boolean => this.#size <= bytes
    const ready = this.#waiters.filter(isReady)
    this.#waiters = this.#waiters.filter((waiter) => !isReady(waiter))
    for (const { done } of ready) done()
  }
}

/** Takes the next bytes for one stream from the queue: small pieces are joined, large ones split. */
function takePiece(queue: Piece[], maxBytes: number): Piece {
  const [first] = queue
  if (first && queue.length === 1 && first.bytes.length <= maxBytes) return (queue.pop(), first)
  const stream = first?.stream ?? 'out'
  const parts: Buffer[] = []
  let free = maxBytes
  while (free > 0 && queue[0]?.stream === stream) {
    const { bytes } = queue[0]
    parts.push(bytes.subarray(0, free))
    if (bytes.length > free) queue[0] = { stream, bytes: bytes.subarray(free) }
    else queue.shift()
    free -= Math.min(free, bytes.length)
  }
  const [only] = parts
  return { stream, bytes: parts.length === 1 && only ? only : Buffer.concat(parts) }
}

/**
 * Counts what waits for all clients together. While it is more than `maxBytes`, which is asked each time, the client
 * with the longest queue is dropped: it takes the least of what it asked for.
 */
export class SendQueues {
  readonly #maxBytes: () => number
  readonly #queues = new Set<Pick<Outbox, 'size' | 'dropClient'>>()
  #total = 0

  constructor(maxBytes: () => number) {
    this.#maxBytes = maxBytes
  }

  total(): number {
    return this.#total
  }

  /** A queue grew or shrank by this many bytes. */
  changed(queue: Pick<Outbox, 'size' | 'dropClient'>, bytes: number): void {
    this.#total += bytes
    if (queue.size() > 0) this.#queues.add(queue)
    else this.#queues.delete(queue)
    // A dropped client reports its change here too, so this goes on until there is room.
    if (this.#total <= this.#maxBytes()) return
    const [first, ...others] = this.#queues
    others
      .reduce((longest, other) => (longest && other.size() <= longest.size() ? longest : other), first)
      ?.dropClient('too much waits for all clients together, and most of it for this one')
  }
}
