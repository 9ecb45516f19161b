import type { Socket } from 'node:net'
import type { Connection, ServerChannel } from 'ssh2'
import { writeStrings, writeUint32 } from './keys/wire.ts'

/**
 * The only file beside ssh2-key-exchange.ts that reaches into ssh2 (1.17), for what it has no public way to
 * do. If the parts are not where they were, `socketOf` and `guardClient` throw, so that an upgrade cannot
 * remove a guard unseen.
 */

type Bytes = Buffer

interface Protocol {
  readonly _handlers?: Handlers
  /** Set while keys are exchanged. Until then ssh2 keeps every packet in a list without end. */
  readonly _kexinit?: unknown
  parse?(chunk: Bytes, from: number, to: number): void
  /** Asks the client for an answer, whatever it is. ssh2 itself does so where nothing comes for long. */
  ping?(): void
  channelData(id: number, data: Bytes): void
  channelExtData(id: number, data: Bytes, type: number): void
  channelOpenFail(sender: number, reason: number, description: string): void
  readonly _cipher?: { encrypt(packet: Bytes): void }
  readonly _packetRW?: {
    readonly write: {
      /** Where a message begins in a packet that may be sent while keys are exchanged. */
      readonly allocStartKEX: number
      alloc(bytes: number, duringKex: boolean): Bytes
      finalize(packet: Bytes, duringKex: boolean): Bytes
    }
  }
}

/** The protocol of a handler, as far as a handler needs it. */
type OwnProtocol = Pick<Protocol, 'channelOpenFail'>

interface Handlers {
  CHANNEL_OPEN?: (own: OwnProtocol, info: { type: string; sender: number; packetSize: number }) => void
  CHANNEL_DATA?: (own: OwnProtocol, recipient: number, data: Bytes) => void
  CHANNEL_WINDOW_ADJUST?: (own: OwnProtocol, recipient: number, amount: number) => void
  REQUEST_SUCCESS?: (own: OwnProtocol, data: unknown) => void
  REQUEST_FAILURE?: (own: OwnProtocol, data: unknown) => void
}

interface Internals {
  readonly _sock?: Socket
  readonly _protocol?: Protocol
  readonly _chanMgr?: { get(id: number): { readonly _channel?: ChannelInternals } | undefined }
}

interface ChannelInternals {
  readonly incoming: { readonly window: number }
  readonly outgoing: {
    readonly id: number
    window: number
    readonly packetSize: number
    readonly state: string
  }
  readonly _client: { readonly _protocol: Protocol; readonly _sock: Socket }
}

const inside = (client: Connection): Internals => client as Connection & Internals
const insideChannel = (channel: ServerChannel): ChannelInternals =>
  channel as ServerChannel & ChannelInternals

/** The socket that a client is on. One ssh2 server serves all sockets, and does not say it. */
export function socketOf(client: Connection): Socket {
  const { _sock } = inside(client)
  if (!_sock) throw new Error('ssh2 has changed: a client has no socket')
  return _sock
}

/** What is told of a client that `guardClient` watches. */
export interface ClientWatch {
  /** The client broke the protocol in a way that ssh2 does not see; the connection must be dropped. */
  onFault(why: string): void
  /** A channel's window has grown. */
  onWindowGrown(): void
  /** Bytes have come, which are to be parsed in the same order, now or later, in any pieces. */
  onInput(bytes: Bytes): void
}

/**
 * RFC 4253, section 6.1, wants 32,768 bytes, and that is what real clients offer. With 0 the write loop of
 * ssh2 never ends, and with 1 each byte would cost a packet.
 */
const MIN_PACKET_BYTES = 1_024

/** RFC 4254, section 5.2: a window must not grow above this. */
const MAX_WINDOW_BYTES = 2 ** 32 - 1

/** RFC 4254, section 5.1. */
const PROHIBITED = 1
const RESOURCE_SHORTAGE = 4

/** RFC 4254, section 5.2: the only type of extended data. */
const STDERR = 1

/**
 * Refuses channels with small packets, and reports data past the window that we granted, which ssh2 takes,
 * and a window above what the protocol allows. Returns ssh2's parser, which throws for some wrong input. Throws if
 * ssh2 has changed.
 */
export function guardClient(
  client: Connection,
  { onFault, onWindowGrown, onInput }: ClientWatch,
): (piece: Bytes) => void {
  const { _protocol: protocol, _chanMgr: channels } = inside(client)
  const socket = socketOf(client)
  const handlers = protocol?._handlers
  const { CHANNEL_OPEN: open, CHANNEL_DATA: take, CHANNEL_WINDOW_ADJUST: adjust } = handlers ?? {}
  if (!handlers || !channels || !open || !take || !adjust || !protocol?.parse || !protocol._packetRW)
    throw new Error('ssh2 has changed: its channels cannot be guarded')
  handlers.CHANNEL_OPEN = (own, info) => {
    // ssh2 refuses all others without a word.
    if (info.type !== 'session')
      return own.channelOpenFail(info.sender, PROHIBITED, 'sshawl forwards nothing')
    if (info.packetSize >= MIN_PACKET_BYTES) return open(own, info)
    own.channelOpenFail(
      info.sender,
      RESOURCE_SHORTAGE,
      `packets have at least ${MIN_PACKET_BYTES} bytes here`,
    )
  }
  handlers.CHANNEL_DATA = (own, recipient, data) => {
    const window = channels.get(recipient)?._channel?.incoming.window
    if (window !== undefined && data.length > window) onFault('sent more than the channel window')
    else take(own, recipient, data)
  }
  handlers.CHANNEL_WINDOW_ADJUST = (own, recipient, amount) => {
    const window = channels.get(recipient)?._channel?.outgoing.window ?? 0
    if (window + amount > MAX_WINDOW_BYTES) return onFault('opened a channel window too far')
    adjust(own, recipient, amount)
    onWindowGrown()
  }
  const parse = protocol.parse.bind(protocol)
  const divert = (chunk: Bytes, from: number, to: number): void => onInput(chunk.subarray(from, to))
  protocol.parse = divert
  return (piece) => {
    // When it is done with a connection, ssh2 replaces its parser too; nothing may be parsed after that.
    if (protocol.parse === divert) writtenTogether(socket, () => parse(piece, 0, piece.length))
  }
}

/**
 * Writes all that `send` sends in one system call. ssh2 hands each packet to the socket in three parts, its
 * length, itself and its code, which without Nagle's algorithm are three calls and three segments.
 */
function writtenTogether(socket: Socket, send: () => void): void {
  socket.cork()
  try {
    send()
  } finally {
    socket.uncork()
  }
}

/** RFC 4253, section 11.1. */
const [DISCONNECT, BY_APPLICATION] = [1, 11]

/** The message that tells a client why it is disconnected. */
export const disconnectMessage = (why: string): Buffer =>
  Buffer.concat([
    Buffer.of(DISCONNECT),
    writeUint32(BY_APPLICATION),
    writeStrings(Buffer.from(why), Buffer.alloc(0)),
  ])

/**
 * Tells a client why it is disconnected, which OpenSSH prints. ssh2 would send no words. A client that is
 * gone is told nothing.
 */
export function disconnect(client: Connection, why: string): void {
  const { _protocol: protocol } = inside(client)
  const message = disconnectMessage(why)
  try {
    if (!protocol?._packetRW || !protocol._cipher) return
    const { write } = protocol._packetRW
    const packet = write.alloc(message.length, true)
    message.copy(packet, write.allocStartKEX)
    protocol._cipher.encrypt(write.finalize(packet, true))
  } catch {
    // After an error ssh2 has given its ciphers back.
  }
}

/**
 * Knows when a client has read all that was sent to it: it is asked for an answer, which it gives in turn (RFC 4254,
 * section 4).
 */
export class Answers {
  readonly #pending: (readonly (() => void)[])[] = []
  #next: (() => void)[] = []
  #send: (() => void) | undefined

  /** Calls `listener` once the client has answered after all that was sent by now; never if it goes away first. */
  ask(listener: () => void): void {
    // What is asked in one go is one request.
    if (this.#send && this.#next.push(listener) === 1) queueMicrotask(() => this.#askNow())
  }

  /** The client can be asked from now on. */
  begin(send: () => void): void {
    this.#send = send
  }

  /** ssh2 has asked: the client will answer that, too. */
  asked(): void {
    this.#pending.push([])
  }

  /** The client has answered the first request. */
  answered(): void {
    for (const listener of this.#pending.shift() ?? []) listener()
  }

  #askNow(): void {
    if (this.#next.length === 0) return
    this.#pending.push(this.#next)
    this.#next = []
    this.#send?.()
  }
}

/** Joins a client with its answers, which ssh2 itself drops. Throws if ssh2 has changed. */
export function watchAnswers(client: Connection, answers: Answers): void {
  const { _protocol: protocol } = inside(client)
  const ping = protocol?.ping?.bind(protocol)
  const handlers = protocol?._handlers
  if (!protocol || !ping || !handlers) throw new Error('ssh2 has changed: its clients cannot be asked')
  const socket = socketOf(client)
  protocol.ping = () => {
    // ssh2's timer goes on until the socket is closed, also after an error, when nothing can be sent.
    if (!socket.writable) return
    answers.asked()
    ping()
  }
  handlers.REQUEST_SUCCESS = handlers.REQUEST_FAILURE = () => answers.answered()
  answers.begin(() => {
    if (socket.writable) ping()
  })
}

/** How many bytes can be sent on a channel now; 0 while the window is closed or keys are exchanged. */
export function sendableBytes(channel: ServerChannel): number {
  const { outgoing, _client } = insideChannel(channel)
  if (outgoing.state !== 'open' || _client._protocol._kexinit !== undefined) return 0
  return Math.min(outgoing.window, outgoing.packetSize)
}

/**
 * Sends at most `sendableBytes` as one packet. A channel's own `write` is not used: it keeps what does not
 * fit, sends it twice when the other stream waits too, drops it when the channel is closed, and does not heed
 * a socket that is full.
 */
export function sendPacket(channel: ServerChannel, bytes: Bytes, stream: 'out' | 'err'): void {
  const { outgoing, _client } = insideChannel(channel)
  writtenTogether(_client._sock, () => {
    if (stream === 'out') _client._protocol.channelData(outgoing.id, bytes)
    else _client._protocol.channelExtData(outgoing.id, bytes, STDERR)
  })
  outgoing.window -= bytes.length
}
