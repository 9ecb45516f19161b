import type { Socket } from 'node:net'
import type { ServerChannel } from 'ssh2'
import { createDeferred } from '../../lib/deferred.ts'
import { forgetSentBytes } from './ssh2-internals.ts'

/** Which of a channel's two streams. */
export type Stream = 'out' | 'err'

/** What is still to be sent on one channel, in order. Nothing here throws or rejects. */
export interface Outbox {
  /** Bytes that were not handed to the connection yet. */
  size(): number
  push(text: string, stream: Stream): void
  /** Resolves once no more than `bytes` are left to send, or the client is gone. */
  below(bytes: number): Promise<void>
  /** Sends all that is left, the exit status and the end, and closes the channel. */
  finish(exitStatus: number): Promise<void>
}

export interface OutboxOptions {
  readonly channel: ServerChannel
  readonly socket: Socket
  /** Aborted when the channel or its connection is gone. */
  readonly gone: AbortSignal
  /** `onStall` is called when a write takes longer than `ms`. */
  readonly stall?: { readonly ms: number; readonly onStall: () => void }
  /** Called each time the last byte was handed over. */
  readonly onEmpty?: () => void
}

interface Piece {
  readonly bytes: Buffer
  readonly stream: Stream
}

/** One write is one SSH packet. */
const MAX_WRITE_BYTES = 32 * 1024

/**
 * A queue with one write under way at a time: ssh2 drops what waits for the window when a channel is closed,
 * mixes up its two streams when both wait, and does not heed a socket that is full.
 */
export function createOutbox({ channel, socket, gone, stall, onEmpty }: OutboxOptions): Outbox {
  const queue: Piece[] = []
  let size = 0
  let running = false
  let waiting: { readonly bytes: number; readonly done: () => void }[] = []

  const settle = (): void => {
    const ready = waiting.filter(({ bytes }) => size <= bytes || gone.aborted)
    waiting = waiting.filter((waiter) => !ready.includes(waiter))
    for (const { done } of ready) done()
  }

  const clear = (): void => {
    queue.length = size = 0
    settle()
  }

  async function sendAll(): Promise<void> {
    running = true
    for (let piece = takePiece(queue); piece; piece = takePiece(queue)) {
      await watched(() => sendPiece(channel, socket, piece, gone), stall)
      size = Math.max(0, size - piece.bytes.length)
      settle()
    }
    running = false
    if (!gone.aborted) onEmpty?.()
  }

  gone.addEventListener('abort', clear, { once: true })
  return {
    size: () => size,
    push(text, stream) {
      if (gone.aborted || text === '') return
      const bytes = Buffer.from(text, 'utf8')
      queue.push({ bytes, stream })
      size += bytes.length
      if (!running) void sendAll()
    },
    below(bytes) {
      if (size <= bytes || gone.aborted) return Promise.resolve()
      return new Promise((done) => waiting.push({ bytes, done }))
    },
    async finish(exitStatus) {
      await this.below(0)
      if (gone.aborted) return
      try {
        channel.exit(exitStatus)
        channel.end()
      } catch {
        // The connection broke between the check and the call: there is nobody to tell.
      }
    },
  }
}

/** Takes the next bytes for one stream from the queue: small pieces are joined, large ones split. */
function takePiece(queue: Piece[]): Piece | undefined {
  const stream = queue[0]?.stream
  if (stream === undefined) return undefined
  const parts: Buffer[] = []
  let free = MAX_WRITE_BYTES
  while (free > 0 && queue[0]?.stream === stream) {
    const { bytes } = queue[0]
    parts.push(bytes.subarray(0, free))
    if (bytes.length > free) queue[0] = { stream, bytes: bytes.subarray(free) }
    else queue.shift()
    free -= Math.min(free, bytes.length)
  }
  return { stream, bytes: Buffer.concat(parts) }
}

async function sendPiece(
  channel: ServerChannel,
  socket: Socket,
  piece: Piece,
  gone: AbortSignal,
): Promise<void> {
  if (socket.writableNeedDrain) await until((done) => socket.once('drain', done), gone)
  if (gone.aborted) return
  forgetSentBytes(channel)
  const target = piece.stream === 'out' ? channel : channel.stderr
  await until((done) => {
    try {
      target.write(piece.bytes, done)
    } catch {
      done()
    }
  }, gone)
}

async function until(start: (done: () => void) => void, gone: AbortSignal): Promise<void> {
  const ended = createDeferred<void>()
  const done = (): void => ended.resolve()
  gone.addEventListener('abort', done, { once: true })
  start(done)
  await ended.promise
  gone.removeEventListener('abort', done)
}

async function watched(send: () => Promise<void>, stall: OutboxOptions['stall']): Promise<void> {
  const timer = stall && setTimeout(stall.onStall, stall.ms)
  await send()
  clearTimeout(timer)
}
