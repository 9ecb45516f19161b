import type { Socket } from 'node:net'
import type { Connection, ServerChannel } from 'ssh2'
import { writeStrings, writeUint32 } from './keys/wire.ts'

/**
 * With ssh2-key-exchange.ts the only file that reaches into ssh2 (1.17). If the parts are not where they
 * were, its functions throw, so that no upgrade removes a guard unseen.
 */

interface Protocol {
  readonly _handlers?: Handlers
  /** Set while keys are exchanged. Until then ssh2 keeps every packet in a list without end. */
  readonly _kexinit?: unknown
  parse?(chunk: Buffer, from: number, to: number): void
  /** Asks the client for an answer, whatever it is. ssh2 itself does so where nothing comes for long. */
  ping?(): void
  channelData(id: number, data: Buffer): void
  channelExtData(id: number, data: Buffer, type: number): void
  channelOpenFail(sender: number, reason: number, description: string): void
  readonly _cipher?: { encrypt(packet: Buffer): void }
  readonly _packetRW?: {
    readonly write: {
      /** Where a message begins in a packet that may be sent while keys are exchanged. */
      readonly allocStartKEX: number
      alloc(bytes: number, duringKex: boolean): Buffer
      finalize(packet: Buffer, duringKex: boolean): Buffer
    }
  }
}

type OwnProtocol = Pick<Protocol, 'channelOpenFail'>

interface Handlers {
  CHANNEL_OPEN?: (own: OwnProtocol, info: { type: string; sender: number; packetSize: number }) => void
  CHANNEL_DATA?: (own: OwnProtocol, recipient: number, data: Buffer) => void
  CHANNEL_WINDOW_ADJUST?: (own: OwnProtocol, recipient: number, amount: number) => void
  REQUEST_SUCCESS?: () => void
  REQUEST_FAILURE?: () => void
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

/** Takes bytes of a client. */
type Take = (bytes: Buffer) => void

export interface ClientWatch {
  /** The client broke the protocol in a way that ssh2 does not see; the connection must be dropped. */
  onFault(why: string): void
  /** A channel's window has grown. */
  onWindowGrown(): void
  /**
   * Returns the function that takes what comes, and gives it to `parse` later, in order, in any pieces.
   * `parse` is ssh2's, and throws for some wrong input.
   */
  createInput(parse: Take): Take
}

/**
 * RFC 4253, section 6.1, wants 32,768 bytes, which real clients offer. With 0 the write loop of ssh2 never
 * ends, and with 1 each byte would cost a packet.
 */
const MIN_PACKET_BYTES = 1_024

/** RFC 4254, section 5.2: a window must not grow above this. */
const MAX_WINDOW_BYTES = 2 ** 32 - 1

/** RFC 4254, section 5.1. */
const [PROHIBITED, RESOURCE_SHORTAGE] = [1, 4]

/** RFC 4254, section 5.2: the only type of extended data. */
const STDERR = 1

/**
 * Refuses channels with small packets, and reports data past the window that we granted and a window above
 * what the protocol allows: ssh2 takes all three. Puts `createInput`'s function before ssh2's parser.
 */
export function guardClient(client: Connection, { onFault, onWindowGrown, createInput }: ClientWatch): void {
  const { _protocol: protocol, _chanMgr: channels } = inside(client)
  const socket = socketOf(client)
  const handlers = protocol?._handlers
  const { CHANNEL_OPEN: open, CHANNEL_DATA: take, CHANNEL_WINDOW_ADJUST: adjust } = handlers ?? {}
  if (!handlers || !channels || !open || !take || !adjust || !protocol?.parse || !protocol._packetRW)
    throw new Error('ssh2 has changed: its channels cannot be guarded')
  handlers.CHANNEL_OPEN = (own, info) => {
    const { type, sender, packetSize } = info
    // ssh2 refuses all others without a word.
    if (type !== 'session') return own.channelOpenFail(sender, PROHIBITED, 'sshawl forwards nothing')
    if (packetSize >= MIN_PACKET_BYTES) return open(own, info)
    own.channelOpenFail(sender, RESOURCE_SHORTAGE, `packets have at least ${MIN_PACKET_BYTES} bytes here`)
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
  const input = createInput((piece) => {
    // When it is done with a connection, ssh2 replaces its parser too; nothing may be parsed after that.
    if (protocol.parse === divert) writtenTogether(socket, () => parse(piece, 0, piece.length))
  })
  const divert = (chunk: Buffer, from: number, to: number): void => input(chunk.subarray(from, to))
  protocol.parse = divert
}

/**
 * Writes all that `send` sends in one system call. ssh2 writes each packet in three parts, which without
 * Nagle's algorithm are three calls and three segments.
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

/** Tells a client why it is disconnected, which OpenSSH prints; ssh2 would send no words. */
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
 * Knows when a client has read all that was sent to it: it is asked, and answers in the order of the
 * questions (RFC 4254, section 4).
 */
export class Answers {
  readonly #pending: (readonly (() => void)[])[] = []
  #next: (() => void)[] = []
  readonly #send: () => void

  /** `send` asks the client. */
  constructor(send: () => void) {
    this.#send = send
  }

  /** Calls `listener` once the client has read all that was sent by now; never if it goes away first. */
  ask(listener: () => void): void {
    // What is asked in one go is one request.
    if (this.#next.push(listener) === 1) queueMicrotask(() => this.#askNow())
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
    this.#pending.push(this.#next)
    this.#next = []
    this.#send()
  }
}

/** The answers of a client, which ssh2 itself drops. */
export function watchAnswers(client: Connection): Answers {
  const { _protocol: protocol } = inside(client)
  const ping = protocol?.ping?.bind(protocol)
  const handlers = protocol?._handlers
  if (!protocol || !ping || !handlers) throw new Error('ssh2 has changed: its clients cannot be asked')
  const socket = socketOf(client)
  // After an error, and until the socket is closed, nothing can be sent, and ssh2's timer still pings.
  const send = (): void => void (socket.writable && ping())
  const answers = new Answers(send)
  protocol.ping = () => {
    answers.asked()
    send()
  }
  handlers.REQUEST_SUCCESS = handlers.REQUEST_FAILURE = () => answers.answered()
  return answers
}

/** How many bytes can be sent on a channel now; 0 while the window is closed or keys are exchanged. */
export function sendableBytes(channel: ServerChannel): number {
  const { outgoing, _client } = insideChannel(channel)
  if (outgoing.state !== 'open' || _client._protocol._kexinit !== undefined) return 0
  return Math.min(outgoing.window, outgoing.packetSize)
}

/**
 * Sends at most `sendableBytes` as one packet. A channel's own `write` keeps what does not fit, sends it
 * twice when the other stream waits too, drops it when the channel is closed, and does not heed a full
 * socket.
 */
export function sendPacket(channel: ServerChannel, bytes: Buffer, stream: 'out' | 'err'): void {
  const { outgoing, _client } = insideChannel(channel)
  writtenTogether(_client._sock, () => {
    if (stream === 'out') _client._protocol.channelData(outgoing.id, bytes)
    else _client._protocol.channelExtData(outgoing.id, bytes, STDERR)
  })
  outgoing.window -= bytes.length
}
