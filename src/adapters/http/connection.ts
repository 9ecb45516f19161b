import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { Duplex } from 'node:stream'
import type { Account } from '../../lib/jobs/scheduler.ts'

/** Node parses this many bytes within a millisecond. */
const PIECE_BYTES = 4_096

const END_OF_HEADERS = '\r\n\r\n'
const NOTHING = Buffer.alloc(0)

/**
 * A socket for Node's HTTP parser, which would parse 64 KiB of requests at once. It gets small pieces, each
 * on an account; a further request waits until the client's kernel took the answer to the one before.
 */
export class PacedConnection extends Duplex {
  /** Pays for the parsing: the network's, then that of the person. */
  account: Account
  /** The reason why no request is answered; undefined if they are. */
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

  /** To be called for each request before it is answered. */
  begin(request: IncomingMessage, response: ServerResponse): void {
    this.#request = request
    this.#answering += 1
    response.once('close', () => {
      this.#answering -= 1
      void this.#feed()
    })
  }

  // Node's HTTP server calls and reads these of its sockets.
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
    // What `_read` itself pushes is parsed later, on nobody's account.
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

  /** Up to the end of headers; undefined if they have to wait. */
  #next(): Buffer | undefined {
    if (this.destroyed) return undefined
    const isBusy = this.#answering > 0 && this.#request?.complete === true
    // Reading nothing shows the end of the input.
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
