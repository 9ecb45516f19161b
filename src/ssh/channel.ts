import type { PseudoTtyInfo, ServerChannel, Session } from 'ssh2'
import { SERVER_STOPPING } from '../words/errors.ts'
import type { ClientHandler, Terminal } from '../terminal/index.ts'
import { Outbox, type OutboxConnection } from './outbox.ts'

/** The abort reason of `gone`, created once because each new error captures a stack trace. */
const CHANNEL_CLOSED = new DOMException('the channel is closed', 'AbortError')

const MAX_VARIABLES = 16
const MAX_VALUE_UNITS = 256
const ACCEPTED_VARIABLE = /^(LANG|TZ|NO_COLOR|COLORTERM|SSHAWL_[A-Z0-9_]{1,32})$/

export type Program =
  | { readonly kind: 'shell'; readonly room: string | undefined }
  | { readonly kind: 'command'; readonly line: string }
  | { readonly kind: 'files' }

interface ChannelConnection extends OutboxConnection {
  readonly context: OutboxConnection['context'] & { readonly handler: Pick<ClientHandler, 'roomToOpen'> }
  closed(channel: Channel, wasStarted: boolean): void
  run(channel: Channel, program: Program): void
}

/** A session channel. At most one program can be started on it. */
export class Channel {
  readonly env: Record<string, string> = {}
  /** The `TERM` of the pty; empty without a pty. */
  term = ''
  readonly #connection: ChannelConnection
  readonly #gone = new AbortController()
  readonly #draining = new AbortController()
  readonly #resizeListeners: (() => void)[] = []
  #size: ReturnType<Terminal['size']>
  #isResizeDue = false
  #stream: ServerChannel | undefined
  #outbox: Outbox | undefined
  #isCommand = false
  #isStopping = false
  #isClosed = false

  constructor(session: Session, connection: ChannelConnection) {
    this.#connection = connection
    session.on('close', () => this.close())
    session.on('pty', (accept, _reject, info) => {
      this.#size = sizeOf(info)
      this.term = printable(info.term ?? '')
      accept?.()
    })
    session.on('window-change', (accept, reject, info) => {
      if (!this.#size) return reject?.()
      this.#size = sizeOf(info)
      accept?.()
      this.#announceResize()
    })
    session.on('env', (accept, reject, { key, val }) => {
      const isFull = !(key in this.env) && Object.keys(this.env).length >= MAX_VARIABLES
      if (isFull || !ACCEPTED_VARIABLE.test(key)) return reject?.()
      this.env[key] = printable(val)
      accept?.()
    })
    session.on('shell', (accept, reject) => this.#start(accept, reject, { kind: 'shell', room: undefined }))
    session.on('exec', (accept, reject, { command }) => this.#start(accept, reject, this.#programOf(command)))
    session.on('subsystem', (accept, reject, { name }) => {
      if (name === 'sftp') this.#start(accept, reject, { kind: 'files' })
      else reject?.()
    })
  }

  /** Aborted when the channel or its connection is closed, and when the server stops. */
  get gone(): AbortSignal {
    return this.#gone.signal
  }

  /** For a command: aborted when the server is about to stop. A shell is stopped at that time. */
  get draining(): AbortSignal {
    return this.#draining.signal
  }

  /** True once the server stops, while the client is still connected. */
  isStopping(): boolean {
    return this.#isStopping
  }

  size(): ReturnType<Terminal['size']> {
    return this.#size
  }

  onResize(listener: () => void): void {
    this.#resizeListeners.push(listener)
  }

  /** Yields input until its end or `gone`. Unlike a stream's iterator, leaves the channel open on return. */
  async *input(): AsyncGenerator<Uint8Array, void, void> {
    const stream = this.#stream
    if (!stream) return
    while (!this.gone.aborted) {
      const chunk: unknown = stream.read(Math.min(stream.readableLength, MAX_CHUNK_BYTES) || undefined)
      if (chunk instanceof Uint8Array) yield chunk
      else if (stream.readableEnded || stream.destroyed) return
      else await moreInput(stream, this.gone)
    }
  }

  /** To be called once, after the start. `onEmpty` is called each time the queue becomes empty. */
  openOutbox(onEmpty?: () => void): Outbox {
    if (!this.#stream) throw new Error('nothing was started on the channel')
    this.#outbox = new Outbox(this.#stream, this.#connection, onEmpty)
    return this.#outbox
  }

  close(): void {
    if (this.#isClosed) return
    this.#isClosed = true
    this.#outbox?.abandon()
    this.#gone.abort(CHANNEL_CLOSED)
    this.#connection.closed(this, this.#stream !== undefined)
  }

  /** Called when the server is about to stop: ends a shell, and lets a command go on until `stop`. */
  drain(): void {
    if (this.#isCommand) this.#draining.abort(SERVER_STOPPING)
    else this.stop()
  }

  stop(): void {
    if (!this.#stream) return
    this.#isStopping = true
    this.#gone.abort(SERVER_STOPPING)
  }

  #programOf(line: string): Program {
    const room = this.#size && this.#connection.context.handler.roomToOpen?.(line)
    return room === undefined ? { kind: 'command', line } : { kind: 'shell', room }
  }

  #start(accept: () => ServerChannel, reject: (() => void) | undefined, program: Program): void {
    if (this.#stream) return reject?.()
    this.#isCommand = program.kind !== 'shell'
    this.#stream = accept()
    this.#stream.on('error', () => this.#connection.drop('channel error'))
    this.#connection.run(this, program)
  }

  /** Merges resizes of one tick, because a client may send many. */
  #announceResize(): void {
    if (this.#isResizeDue) return
    this.#isResizeDue = true
    setImmediate(() => {
      this.#isResizeDue = false
      for (const listener of this.#resizeListeners) listener()
    })
  }
}

/** The size of one chunk, so that the reader can serve other clients between two chunks. */
const MAX_CHUNK_BYTES = 4_096

function moreInput(stream: ServerChannel, until: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const done = (): void => {
      stream.off('readable', done).off('end', done)
      until.removeEventListener('abort', done)
      resolve()
    }
    stream.once('readable', done).once('end', done)
    until.addEventListener('abort', done, { once: true })
  })
}

/** Limits the size, which a client may claim freely; 0 means that the client does not know it. */
const sizeOf = ({ cols, rows }: Pick<PseudoTtyInfo, 'cols' | 'rows'>) => ({
  columns: cols > 0 ? Math.min(cols, 1000) : 80,
  rows: rows > 0 ? Math.min(rows, 1000) : 24,
})

const printable = (text: string): string => text.replace(/[^ -~]/g, '').slice(0, MAX_VALUE_UNITS)
