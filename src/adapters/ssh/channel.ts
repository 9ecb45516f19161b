import type { Socket } from 'node:net'
import type { PseudoTtyInfo, ServerChannel, Session } from 'ssh2'
import type { Person } from '../../chat/person.ts'
import type { Log } from '../../chat/ports.ts'
import type { ClientHandler, Terminal } from '../../session/ports.ts'
import { createOutbox, type Outbox, type OutboxOptions } from './outbox.ts'
import type { Release } from './quota.ts'

/** The connection that carries a channel. */
export interface Carrier {
  readonly socket: Socket
  /** Aborted when the connection is closed. */
  readonly closed: AbortSignal
  /** Closes the connection; `why` is logged. */
  drop(why: string): void
}

/** What its client asked for before it started something on a channel. */
type Requests = Pick<Terminal, 'size' | 'onResize' | 'term' | 'env'>

/** A session channel on which a shell or a command was started. */
export interface OpenChannel extends Requests {
  /** Aborted when the channel or its connection is closed. */
  readonly gone: AbortSignal
  /**
   * What the client sends, read at the reader's pace (the channel's window is the brake), until its end of file or
   * `until`. Unlike a stream's own iterator it leaves the channel open when the reader stops early.
   */
  input(until: AbortSignal): AsyncIterable<Uint8Array>
  /** The way out of the channel; to be called once. With `stallMs` a client that takes nothing for so long is dropped. */
  openOutbox(options?: { readonly stallMs?: number } & Pick<OutboxOptions, 'onEmpty'>): Outbox
}

/** Whose channels these are, and what the server gives them. */
export interface ChannelContext {
  readonly person: Person
  readonly handler: ClientHandler
  readonly log: Log
  /** What may wait to be sent on a channel, and how long nothing of it may move. */
  readonly queue: { readonly bytes: number; readonly stallMs: number }
  /** Aborted when the server stops. */
  readonly stopping: AbortSignal
  /** Why this connection may do nothing, in words for the person; undefined if it may. */
  readonly refusal: string | undefined
  /** Counts one more command of the person; undefined when it would be one too many. */
  takeExec(): Release | undefined
}

/** What the person reads when something failed and only the operator can do something about it. */
export const APOLOGY = 'Something went wrong here; the operator finds the details in the log.'

/**
 * Answers what a client asks on a session channel. One shell or one command may be started, and nothing else: `onStart`
 * is then called, with the command's line or with undefined for a shell.
 */
export function openChannel(
  session: Session,
  carrier: Carrier,
  onStart: (channel: OpenChannel, command: string | undefined) => void,
): void {
  const closed = new AbortController()
  session.on('close', () => closed.abort())
  const gone = AbortSignal.any([closed.signal, carrier.closed])
  const requests = collectRequests(session)
  let isStarted = false
  function start(accept: () => ServerChannel, reject: (() => void) | undefined, command?: string): void {
    if (isStarted) return reject?.()
    isStarted = true
    onStart({ ...requests(), gone, ...streamsOf(accept(), carrier, gone) }, command)
  }
  session.on('shell', (accept, reject) => start(accept, reject))
  session.on('exec', (accept, reject, { command }) => start(accept, reject, command))
}

function streamsOf(
  channel: ServerChannel,
  { socket, drop }: Carrier,
  gone: AbortSignal,
): Pick<OpenChannel, 'input' | 'openOutbox'> {
  return {
    input: (until) => readInput(channel, until),
    openOutbox({ stallMs, onEmpty } = {}) {
      for (const stream of [channel, channel.stderr]) stream.on('error', () => drop('channel error'))
      const stall =
        stallMs === undefined ? undefined : { ms: stallMs, onStall: () => drop('reads too slowly') }
      return createOutbox({ channel, socket, gone, stall, onEmpty })
    },
  }
}

const MAX_VARIABLES = 16
const MAX_VALUE_UNITS = 256
const ACCEPTED_VARIABLE = /^(LANG|TZ|SSHAWL_[A-Z0-9_]{1,32})$/

/** Collects pty, window size and environment, and answers each request at once. The function returned gives what there is. */
function collectRequests(session: Session): () => Requests {
  const env: Record<string, string> = {}
  const listeners: (() => void)[] = []
  let term = ''
  let size: ReturnType<Terminal['size']>
  session.on('pty', (accept, _reject, info) => {
    size = sizeOf(info)
    term = printable(info.term ?? '')
    accept?.()
  })
  session.on('window-change', (accept, reject, info) => {
    if (!size) return reject?.()
    size = sizeOf(info)
    accept?.()
    for (const listener of listeners) listener()
  })
  session.on('env', (accept, reject, { key, val }) => {
    if (!ACCEPTED_VARIABLE.test(key) || (!(key in env) && Object.keys(env).length >= MAX_VARIABLES))
      return reject?.()
    env[key] = printable(val)
    accept?.()
  })
  return () => ({ size: () => size, onResize: (listener) => void listeners.push(listener), term, env })
}

/** A client may claim any size, or none: 0 means that it does not know. */
const sizeOf = ({ cols, rows }: Pick<PseudoTtyInfo, 'cols' | 'rows'>) => ({
  columns: cols > 0 ? Math.min(cols, 1000) : 80,
  rows: rows > 0 ? Math.min(rows, 1000) : 24,
})

const printable = (text: string): string => text.replace(/[^ -~]/g, '').slice(0, MAX_VALUE_UNITS)

async function* readInput(
  channel: ServerChannel,
  until: AbortSignal,
): AsyncGenerator<Uint8Array, void, void> {
  while (!until.aborted) {
    const chunk: unknown = channel.read()
    if (chunk instanceof Uint8Array) yield chunk
    else if (channel.readableEnded || channel.destroyed) return
    else await moreInput(channel, until)
  }
}

function moreInput(channel: ServerChannel, until: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const done = (): void => {
      channel.off('readable', done).off('end', done)
      until.removeEventListener('abort', done)
      resolve()
    }
    channel.once('readable', done).once('end', done)
    until.addEventListener('abort', done, { once: true })
  })
}
