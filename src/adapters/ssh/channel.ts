import type { Connection, ServerChannel, Session } from 'ssh2'
import type { Person } from '../../chat/people/person.ts'
import { SERVER_STOPPING } from '../../chat/errors.ts'
import type { Log } from '../../chat/ports.ts'
import type { Account } from '../../lib/jobs/scheduler.ts'
import type { ClientHandler, Terminal } from '../../session/ports.ts'
import type { Carrier } from './carrier.ts'
import { collectRequests, type Requests } from './channel-requests.ts'
import { Outbox, type SendLimits } from './outbox.ts'
import type { Release } from '../../lib/quota.ts'
import { endUnstarted } from './ssh2-internals.ts'

/** A session channel on which a shell or a command was started. */
export interface OpenChannel extends Pick<Terminal, 'size' | 'onResize' | 'term' | 'env'> {
  /** Aborted when the channel or its connection is closed, and when the server stops. */
  readonly gone: AbortSignal
  /** Aborted when the server is going to stop, for a command: a shell is stopped then. */
  readonly draining: AbortSignal
  /** True once the server stops. The client is there and reads. */
  isStopping(): boolean
  /**
   * What the client sends, read at the reader's pace (the channel's window is the brake), until its end of
   * file or `gone`. Unlike a stream's own iterator it leaves the channel open when the reader stops early.
   */
  input(): AsyncIterable<Uint8Array>
  /**
   * The way out of the channel; to be called once. `onEmpty` is called each time a queue has become empty.
   */
  openOutbox(onEmpty?: () => void): Outbox
}

/** The reason of `gone`: made once, because a new one notes where it was made, at a cost for each channel. */
const CHANNEL_CLOSED = new DOMException('the channel is closed', 'AbortError')

/** Whose channels these are, and what the server gives them. */
export interface ChannelContext {
  readonly person: Person
  readonly handler: ClientHandler
  readonly log: Log
  /** Of the connection. */
  readonly account: Account
  readonly queue: SendLimits
  /** Why this connection may do nothing, in words for the person; undefined if it may. */
  readonly refusal: string | undefined
  /** Counts one more command of the person; undefined when it would be one too many. */
  takeExec(): Release | undefined
}

/** What a connection gives to one of its channels. */
export interface ChannelOptions {
  readonly carrier: Carrier
  readonly queue: SendLimits
  /** One shell or one command was started: `command` is its line, undefined for a shell. */
  onStart(channel: OpenChannel, command: string | undefined): void
  /** Called once; `hadProgram` tells whether something was started. */
  onClose(hadProgram: boolean): void
}

/** The exit status of a command that was not understood. */
const MISUSE = 2

/**
 * Answers what a client asks on a session channel. One shell or one command may be started, and nothing else.
 */
export function openChannel(
  client: Connection,
  session: Session,
  { carrier, queue, onStart, onClose }: ChannelOptions,
): void {
  const requests = collectRequests(session)
  let started: ReturnType<typeof startChannel> | undefined
  let isCommand = false
  const own = {
    close() {
      if (!carrier.channels.delete(own)) return
      started?.close()
      onClose(started !== undefined)
    },
    drain: () => (isCommand ? started?.drain() : started?.stop()),
    stop: () => started?.stop(),
    refuse: (why: string) => started === undefined && endUnstarted(client, session, why, MISUSE),
  }
  carrier.channels.add(own)
  session.on('close', own.close)
  function start(accept: () => ServerChannel, reject: (() => void) | undefined, command?: string): void {
    if (started) return reject?.()
    isCommand = command !== undefined
    started = startChannel(accept(), requests(), carrier, queue)
    onStart(started.channel, command)
  }
  session.on('shell', (accept, reject) => start(accept, reject))
  session.on('exec', (accept, reject, { command }) => start(accept, reject, command))
}

function startChannel(stream: ServerChannel, requests: Requests, carrier: Carrier, queue: SendLimits) {
  const gone = new AbortController()
  const draining = new AbortController()
  let isStopping = false
  let outbox: Outbox | undefined
  stream.on('error', () => carrier.drop('channel error'))
  const channel: OpenChannel = {
    ...requests,
    gone: gone.signal,
    draining: draining.signal,
    isStopping: () => isStopping,
    input: () => readInput(stream, gone.signal),
    openOutbox(onEmpty) {
      outbox = new Outbox(stream, carrier, queue, onEmpty)
      return outbox
    },
  }
  return {
    channel,
    close() {
      outbox?.abandon()
      gone.abort(CHANNEL_CLOSED)
    },
    drain: () => draining.abort(SERVER_STOPPING),
    stop() {
      isStopping = true
      gone.abort(SERVER_STOPPING)
    },
  }
}

/** What a reader gets at once, so that it can look at others between two chunks. */
const MAX_CHUNK_BYTES = 4_096

async function* readInput(
  channel: ServerChannel,
  until: AbortSignal,
): AsyncGenerator<Uint8Array, void, void> {
  while (!until.aborted) {
    const chunk: unknown = channel.read(Math.min(channel.readableLength, MAX_CHUNK_BYTES) || undefined)
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
