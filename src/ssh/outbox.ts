import type { Socket } from 'node:net'
import type { ServerChannel } from 'ssh2'
import { duration } from '../base/amounts.ts'
import { createProgressTimer, type ProgressTimer } from '../base/jobs/waiting.ts'
import type { SshLimits } from './admission.ts'
import { sendableBytes, sendPacket } from './ssh2/internals.ts'

export type Stream = 'out' | 'err'

export interface OutboxConnection {
  readonly context: { readonly limits: Pick<SshLimits, 'stall_s'>; readonly queues: SendQueues }
  readonly socket: Pick<Socket, 'writableNeedDrain'>
  readonly waiting: Set<() => void>
  drop(why: string): void
  whenAcknowledged(listener: () => void): void
}

interface Piece {
  readonly bytes: Buffer
  readonly stream: Stream
}

/** The size of a piece, which becomes one SSH packet. */
const MAX_PIECE_BYTES = 32 * 1024

/**
 * Sends the output of one channel in order. Joins output of the same tick into one packet, in a microtask.
 * Queues only bytes that a slow client cannot take yet. Never throws or rejects.
 */
export class Outbox {
  readonly #channel: ServerChannel
  readonly #connection: OutboxConnection
  readonly #queues: SendQueues
  readonly #stall: ProgressTimer
  readonly #onEmpty: () => void
  readonly #queue: Piece[] = []
  #waiters: { readonly bytes: number; readonly done: () => void }[] = []
  #size = 0
  /** The size last reported to `SendQueues`. */
  #counted = 0
  #isScheduled = false
  #isOver = false

  constructor(channel: ServerChannel, connection: OutboxConnection, onEmpty = (): void => undefined) {
    const { limits, queues } = connection.context
    const stallMs = limits.stall_s * 1_000
    this.#channel = channel
    this.#connection = connection
    this.#queues = queues
    this.#onEmpty = onEmpty
    this.#stall = createProgressTimer(stallMs, () =>
      connection.drop(`almost nothing was read for ${duration(stallMs)} (stall_s)`),
    )
  }

  /** Returns the number of unsent bytes. */
  size(): number {
    return this.#size
  }

  push(content: string | Buffer, stream: Stream): void {
    if (this.#isOver || content.length === 0) return
    const bytes = typeof content === 'string' ? Buffer.from(content, 'utf8') : content
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

  /** See `Connection.whenAcknowledged`. */
  whenAcknowledged(listener: () => void): void {
    void this.drainedTo(0).then(() => this.#isOver || this.#connection.whenAcknowledged(listener))
  }

  /** Sends all that is left, the exit status and the end of file, and closes the channel. */
  async finish(exitStatus: number): Promise<void> {
    await this.drainedTo(0)
    if (this.#isOver) return
    try {
      this.#channel.exit(exitStatus)
      this.#channel.end()
    } catch {
      // The connection broke between the check and the call.
    }
  }

  /** Drops unsent and future output: the client is gone, or is dropped for the longest queue. */
  abandon(): void {
    this.#isOver = true
    this.#queue.length = this.#size = 0
    this.#count()
    this.#stopWaiting()
    this.#releaseWaiters()
  }

  /** Called by `SendQueues` to free memory. */
  dropClient(why: string): void {
    this.abandon()
    this.#connection.drop(why)
  }

  readonly #pump = (): void => {
    this.#isScheduled = false
    const before = this.#size
    for (let free = this.#sendable(); free > 0 && this.#queue.length > 0; free = this.#sendable()) {
      const piece = takePiece(this.#queue, free)
      this.#size -= piece.bytes.length
      this.#send(piece)
    }
    this.#stall.moved(before - this.#size)
    this.#count()
    if (this.#size === 0) this.#stopWaiting()
    else {
      this.#connection.waiting.add(this.#pump)
      this.#stall.run()
    }
    this.#releaseWaiters()
    if (before > 0 && this.#size === 0 && !this.#isOver) this.#onEmpty()
  }

  /** Returns 0 if the socket is full, because its buffer has no limit of its own. */
  #sendable(): number {
    return this.#connection.socket.writableNeedDrain
      ? 0
      : Math.min(sendableBytes(this.#channel), MAX_PIECE_BYTES)
  }

  #send({ bytes, stream }: Piece): void {
    try {
      sendPacket(this.#channel, bytes, stream)
    } catch {
      // ssh2 throws if the connection has ended.
      this.abandon()
    }
  }

  #stopWaiting(): void {
    this.#connection.waiting.delete(this.#pump)
    this.#stall.stop()
  }

  /** Reports a changed size. A queue that empties within one tick is never reported. */
  #count(): void {
    const change = this.#size - this.#counted
    this.#counted = this.#size
    if (change !== 0) this.#queues.changed(this, change)
  }

  #releaseWaiters(): void {
    const waiters = this.#waiters
    if (waiters.length === 0) return
    this.#waiters = waiters.filter(({ bytes }) => this.#size > bytes)
    for (const { bytes, done } of waiters) if (this.#size <= bytes) done()
  }
}

/** Takes the next bytes for one stream from the queue. Joins small pieces and splits large ones. */
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

/** Counts the unsent bytes of all clients. Above `maxBytes`, drops the client with the longest queue. */
export class SendQueues {
  readonly #maxBytes: () => number
  readonly #queues = new Set<SendQueue>()
  #total = 0

  constructor(maxBytes: () => number) {
    this.#maxBytes = maxBytes
  }

  total(): number {
    return this.#total
  }

  /** Called when a queue grew or shrank by this many bytes. */
  changed(queue: SendQueue, bytes: number): void {
    this.#total += bytes
    if (queue.size() > 0) this.#queues.add(queue)
    else this.#queues.delete(queue)
    // dropClient() calls changed() again with the freed bytes, so clients are dropped until the total fits.
    if (this.#total <= this.#maxBytes()) return
    const [first, ...others] = this.#queues
    others
      .reduce((longest, other) => (longest && other.size() <= longest.size() ? longest : other), first)
      ?.dropClient('too much waits for all clients together, and most of it for this one')
  }
}

type SendQueue = Pick<Outbox, 'size' | 'dropClient'>
