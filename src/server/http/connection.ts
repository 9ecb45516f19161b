import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { Duplex } from 'node:stream'
import type { Account } from '../../base/jobs/scheduler.ts'

/** Node parses 4 KiB within a millisecond. */
const PIECE_BYTES = 4_096

const END_OF_HEADERS = '\r\n\r\n'
const NOTHING = Buffer.alloc(0)

/**
 * A socket for Node's HTTP parser, which would otherwise parse 64 KiB of requests at once. The parser gets
 * small pieces, each one on an account. The next request is parsed when the last answer has been written to
 * the socket.
 */
export class PacedConnection extends Duplex {
  /** Pays for the parsing: the network's account before the token is known, then the person's. */
  account: Account
  /** The reason why no request on this connection is served; undefined if requests are served. */
  readonly refusal: string | undefined
  readonly #socket: Socket
  #left: Buffer = NOTHING
  #isWanted = false
  #isFeeding = false
  #answering = 0
  #request: IncomingMessage | undefined

  constructor(socket: Socket, account: Account, refusal?: string) {
    super({ readableHighWaterMark: PIECE_BYTES })
    this.#socket = socket
    this.account = account
    this.refusal = refusal
    socket.on('readable', () => void this.#feed())
    socket.on('end', () => this.push(null))
    socket.on('timeout', () => this.emit('timeout'))
    socket.on('error', (error) => this.destroy(error))
    socket.on('close', () => this.destroy())
  }

  /** Counts a request as being answered. To be called for each request before the answer. */
  begin(request: IncomingMessage, response: ServerResponse): void {
    this.#request = request
    this.#answering += 1
    response.once('close', () => {
      this.#answering -= 1
      void this.#feed()
    })
  }

  // Members of net.Socket that Node's HTTP server uses.
  get remoteAddress(): string | undefined {
    return this.#socket.remoteAddress
  }
  get bytesWritten(): number {
    return this.#socket.bytesWritten
  }
  setTimeout(ms: number): this {
    this.#socket.setTimeout(ms)
    return this
  }
  destroySoon(): void {
    this.end(() => this.destroy())
  }

  override _read(): void {
    this.#isWanted = true
    // Bytes pushed inside `_read` would be parsed later, on nobody's account.
    queueMicrotask(() => void this.#feed())
  }
  override _write(chunk: Buffer, _encoding: BufferEncoding, done: (error?: Error | null) => void): void {
    this.#socket.write(chunk, done)
  }
  override _final(done: () => void): void {
    this.#socket.end(done)
  }
  override _destroy(error: Error | null, done: (error: Error | null) => void): void {
    this.#socket.destroy()
    done(error)
  }

  async #feed(): Promise<void> {
    if (this.#isFeeding) return
    this.#isFeeding = true
    for (let piece = this.#next(); piece; piece = this.#next()) {
      const bytes = piece
      await this.account.run(() => {
        if (!this.destroyed) this.#isWanted = this.push(bytes)
      })
    }
    this.#isFeeding = false
  }

  /**
   * Returns the next bytes for the parser, at most to the end of a request's headers; undefined if there are
   * none or an answer is pending.
   */
  #next(): Buffer | undefined {
    if (this.destroyed) return undefined
    const isBusy = this.#answering > 0 && this.#request?.complete === true
    // A read() without data lets the stream notice the end of the input.
    if (this.#left.length === 0 && (this.#socket.readableLength === 0 || (this.#isWanted && !isBusy)))
      this.#left = (this.#socket.read() as Buffer | null) ?? NOTHING
    if (this.#left.length === 0 || !this.#isWanted || isBusy) return undefined
    const end = this.#left.subarray(0, PIECE_BYTES).indexOf(END_OF_HEADERS)
    const length = end < 0 ? PIECE_BYTES : end + END_OF_HEADERS.length
    const piece = this.#left.subarray(0, length)
    this.#left = this.#left.subarray(length)
    return piece
  }
}

export function connectionOf(request: IncomingMessage): PacedConnection {
  const socket: Duplex = request.socket
  if (socket instanceof PacedConnection) return socket
  throw new Error('a request came past the paced connections')
}
