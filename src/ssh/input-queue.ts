import type { Socket } from 'node:net'
import type { Account } from '../base/jobs/scheduler.ts'

/** About sixty packets, which ssh2 parses in less than a millisecond. */
const PIECE_BYTES = 2_048

/** Reading from a peer pauses while its unsent output exceeds this limit. */
const MAX_UNSENT_BYTES = 256 * 1024

/**
 * Parses the input of one connection in small pieces on the connection's account. Between two pieces the
 * event loop handles other connections and the effects of the first piece.
 */
export class InputQueue {
  readonly #account: Account
  readonly #reader: InputReader
  #left: Buffer[] = []
  #isOpen = true
  #isFeeding = false
  #isPaused = false

  constructor(account: Account, reader: InputReader) {
    this.#account = account
    this.#reader = reader
  }

  take(bytes: Buffer): void {
    if (!this.#isOpen) return
    this.#left.push(bytes)
    if (!this.#isFeeding) {
      this.#isFeeding = true
      void this.#feedAll()
    }
    if (this.#left.length === 0 || this.#isPaused) return
    this.#isPaused = true
    this.#reader.pause()
  }

  close(): void {
    this.#isOpen = false
    this.#left = []
  }

  async #feedAll(): Promise<void> {
    const feed = (): void => this.#feedPiece()
    await this.#account.run(feed)
    while (this.#left.length > 0) await this.#account.runLater(feed)
    this.#isFeeding = false
    if (this.#isPaused && this.#isOpen) this.#reader.resume()
    this.#isPaused = false
  }

  #feedPiece(): void {
    const [first, ...rest] = this.#left
    if (!first) return
    this.#left = first.length > PIECE_BYTES ? [first.subarray(PIECE_BYTES), ...rest] : rest
    this.#reader.feed(first.subarray(0, PIECE_BYTES))
  }
}

interface InputReader {
  /** Parses a piece; must not throw. */
  feed(piece: Buffer): void
  pause(): void
  resume(): void
}

/**
 * Reads from a peer only while it reads our answers. Otherwise the answers to a peer that never reads would
 * fill the memory. To be called after the socket's reader is in place.
 */
export function applyBackPressure(socket: Socket): Pick<InputReader, 'pause' | 'resume'> {
  let isFull = false
  let isPaused = false
  const apply = (): void => void (isFull || isPaused ? socket.pause() : socket.resume())
  const setPaused = (paused: boolean): void => {
    isPaused = paused
    apply()
  }
  socket.on('data', () => {
    if (isFull || socket.writableLength <= MAX_UNSENT_BYTES) return
    isFull = true
    apply()
    socket.once('drain', () => {
      isFull = false
      apply()
    })
  })
  return { pause: () => setPaused(true), resume: () => setPaused(false) }
}
