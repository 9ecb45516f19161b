import type { ServerChannel } from 'ssh2'
import { duration } from '../../lib/duration.ts'
import type { Carrier } from './carrier.ts'
import type { Queues } from './queues.ts'
import { sendableBytes, sendPacket } from './ssh2-internals.ts'
import { createProgressTimer } from '../../lib/jobs/progress-timer.ts'

/** Which of a channel's two streams. */
export type Stream = 'out' | 'err'

/** What is still to be sent on one channel, in order. Nothing here throws or rejects. */
export interface Outbox {
  /** Bytes that were not handed to the connection yet. */
  size(): number
  push(text: string, stream: Stream): void
  /** Resolves once no more than `bytes` are left to send, or the client is gone. */
  below(bytes: number): Promise<void>
  /** Calls `listener` once the client has read all that was pushed by now; never if it goes away first. */
  whenRead(listener: () => void): void
  /** Sends all that is left, the exit status and the end, and closes the channel. */
  finish(exitStatus: number): Promise<void>
  /** The client is gone: drops what is left and all that will come. */
  abandon(): void
}

export interface OutboxOptions {
  readonly channel: ServerChannel
  readonly carrier: Carrier
  /** Counts what waits, here and everywhere else. */
  readonly queues: Queues
  /** A client that takes almost nothing for so long while something waits is dropped. */
  readonly stallMs: number
}

interface Piece {
  readonly bytes: Buffer
  readonly stream: Stream
}

/** One piece is one SSH packet. */
const MAX_PIECE_BYTES = 32 * 1024

/**
 * Sends what was pushed in one go as one packet, as soon as whoever pushes is done. Only what a slow client
 * cannot take yet stays in the queue, and only then there is a timer. `onEmpty` is called each time the queue
 * has become empty.
 */
export function createOutbox(
  { channel, carrier, queues, stallMs }: OutboxOptions,
  onEmpty?: () => void,
): Outbox {
  const queue: Piece[] = []
  const waiters = createWaiters()
  const stall = createProgressTimer(stallMs, () =>
    carrier.drop(`almost nothing was read for ${duration(stallMs)} (stall_s)`),
  )
  let size = 0
  let counted = 0
  let isScheduled = false
  let isOver = false

  const held = {
    size: () => size,
    shed() {
      abandon()
      carrier.drop('too much waits for all clients together, and most of it for this one')
    },
  }

  /** Nothing may be written past a socket that is full: its buffer has no end. */
  const sendable = (): number =>
    carrier.socket.writableNeedDrain ? 0 : Math.min(sendableBytes(channel), MAX_PIECE_BYTES)

  function send({ bytes, stream }: Piece): void {
    try {
      sendPacket(channel, bytes, stream)
    } catch {
      // ssh2 throws once the connection has ended: there is nobody to tell.
      abandon()
    }
  }

  /** Sends what can be sent. Called again whenever that may be more. */
  function pump(): void {
    isScheduled = false
    const before = size
    for (let free = sendable(); free > 0 && queue.length > 0; free = sendable()) {
      const piece = takePiece(queue, free)
      size -= piece.bytes.length
      send(piece)
    }
    stall.moved(before - size)
    if (size > 0) wait()
    else stopWaiting()
    waiters.release(size)
    if (before > 0 && size === 0 && !isOver) onEmpty?.()
  }

  function wait(): void {
    count()
    if (size === 0) return
    carrier.waiting.add(pump)
    stall.run()
  }

  function stopWaiting(): void {
    count()
    carrier.waiting.delete(pump)
    stall.stop()
  }

  /** A queue that empties within one tick is never reported to `queues`. */
  function count(): void {
    const change = size - counted
    counted = size
    if (change !== 0) queues.changed(held, change)
  }

  function abandon(): void {
    isOver = true
    queue.length = size = 0
    stopWaiting()
    waiters.release(size)
  }

  return {
    size: () => size,
    push(text, stream) {
      if (isOver || text === '') return
      const bytes = Buffer.from(text, 'utf8')
      queue.push({ bytes, stream })
      size += bytes.length
      if (stall.isRunning()) return count()
      if (isScheduled) return
      isScheduled = true
      queueMicrotask(pump)
    },
    below: (bytes) => (size <= bytes ? Promise.resolve() : waiters.add(bytes)),
    whenRead(listener) {
      void this.below(0).then(() => isOver || carrier.whenRead(listener))
    },
    async finish(exitStatus) {
      await this.below(0)
      if (isOver) return
      try {
        channel.exit(exitStatus)
        channel.end()
      } catch {
        // The connection broke between the check and the call: there is nobody to tell.
      }
    },
    abandon,
  }
}

/** Those who wait until a queue is short enough. */
function createWaiters() {
  let waiting: { readonly bytes: number; readonly done: () => void }[] = []
  return {
    /** Resolves once the queue has at most so many bytes. */
    add: (bytes: number): Promise<void> => new Promise((done) => waiting.push({ bytes, done })),
    /** Lets those go on for whom this size is small enough. */
    release(size: number): void {
      if (waiting.length === 0) return
      const ready = waiting.filter(({ bytes }) => size <= bytes)
      waiting = waiting.filter(({ bytes }) => size > bytes)
      for (const { done } of ready) done()
    },
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
