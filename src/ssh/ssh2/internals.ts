import type { Socket } from 'node:net'
import type { Connection, ServerChannel } from 'ssh2'
import { writeStrings, writeUint32 } from '../keys/wire.ts'

/**
 * Reads and replaces private fields of ssh2, as only this folder does: docs/internals/ssh2.md lists them. The
 * functions throw if a guard can no longer be set.
 */

interface Protocol {
  readonly _handlers?: Handlers
  /** Set during a key exchange, in which ssh2 queues all packets without a limit. */
  readonly _kexinit?: unknown
  parse?(chunk: Buffer, from: number, to: number): void
  /** Asks the client for an answer of any content. ssh2 itself does so after a long silence. */
  ping?(): void
  channelData(id: number, data: Buffer): void
  channelExtData(id: number, data: Buffer, type: number): void
  channelOpenFail(sender: number, reason: number, description: string): void
  readonly _cipher?: { encrypt(packet: Buffer): void }
  readonly _packetRW?: {
    readonly write: {
      /** The offset of a message in a packet that may be sent during a key exchange. */
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

const clientInternals = (client: Connection): Internals => client as Connection & Internals
const channelInternals = (channel: ServerChannel): ChannelInternals =>
  channel as ServerChannel & ChannelInternals

/** Returns the socket of a client, which ssh2 does not expose. */
export function socketOf(client: Connection): Socket {
  const { _sock } = clientInternals(client)
  if (!_sock) throw new Error('ssh2 has changed: a client has no socket')
  return _sock
}

type ReceiveBytes = (bytes: Buffer) => void

export interface ClientWatch {
  /** Called if the client broke the protocol unnoticed by ssh2. The connection must then be dropped. */
  onFault(why: string): void
  onWindowGrown(): void
  /**
   * Returns the function that receives the input and passes it to `parse` later, in order, in pieces of any
   * size. `parse` is ssh2's parser, which throws for some malformed input.
   */
  createInput(parse: ReceiveBytes): ReceiveBytes
}

/**
 * RFC 4253, section 6.1, requires 32,768 bytes, which real clients offer. With 0 the write loop of ssh2 never
 * ends, and with 1 each byte costs a packet.
 */
const MIN_PACKET_BYTES = 1_024

/** The largest window (RFC 4254, section 5.2). */
const MAX_WINDOW_BYTES = 2 ** 32 - 1

/** Reasons to refuse a channel (RFC 4254, section 5.1). */
const [PROHIBITED, RESOURCE_SHORTAGE] = [1, 4]

/** The only type of extended data (RFC 4254, section 5.2). */
const STDERR = 1

/**
 * Refuses channels with small packets, and reports data beyond the granted window and a window above the
 * protocol's limit: ssh2 accepts all three. Puts the function of `createInput` before ssh2's parser.
 */
export function guardClient(client: Connection, { onFault, onWindowGrown, createInput }: ClientWatch): void {
  const { _protocol: protocol, _chanMgr: channels } = clientInternals(client)
  const socket = socketOf(client)
  const handlers = protocol?._handlers
  const { CHANNEL_OPEN: open, CHANNEL_DATA: take, CHANNEL_WINDOW_ADJUST: adjust } = handlers ?? {}
  if (!handlers || !channels || !open || !take || !adjust || !protocol?.parse || !protocol._packetRW)
    throw new Error('ssh2 has changed: its channels cannot be guarded')
  handlers.CHANNEL_OPEN = (own, info) => {
    const { type, sender, packetSize } = info
    // ssh2 refuses other channel types without a description.
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
    // ssh2 also replaces its parser when it ends a connection. Nothing may be parsed after that.
    if (protocol.parse === divert) writeTogether(socket, () => parse(piece, 0, piece.length))
  })
  const divert = (chunk: Buffer, from: number, to: number): void => input(chunk.subarray(from, to))
  protocol.parse = divert
}

/** Makes `send` one system call: ssh2 writes a packet in 3 parts, or 3 segments without Nagle's algorithm. */
function writeTogether(socket: Socket, send: () => void): void {
  socket.cork()
  try {
    send()
  } finally {
    socket.uncork()
  }
}

/** Message number and reason code (RFC 4253, section 11.1). */
const [DISCONNECT, BY_APPLICATION] = [1, 11]

export const disconnectMessage = (why: string): Buffer =>
  Buffer.concat([
    Buffer.of(DISCONNECT),
    writeUint32(BY_APPLICATION),
    writeStrings(Buffer.from(why), Buffer.alloc(0)),
  ])

/** Disconnects a client with a reason, which OpenSSH prints; ssh2 would send no text. */
export function disconnect(client: Connection, why: string): void {
  const { _protocol: protocol } = clientInternals(client)
  const message = disconnectMessage(why)
  try {
    if (!protocol?._packetRW || !protocol._cipher) return
    const { write } = protocol._packetRW
    const packet = write.alloc(message.length, true)
    message.copy(packet, write.allocStartKEX)
    protocol._cipher.encrypt(write.finalize(packet, true))
  } catch {
    // ssh2 has freed its ciphers after an error.
  }
}

/** Detects that a client has read all output, by a request that it answers in order (RFC 4254, section 4). */
export class Answers {
  readonly #pending: (readonly (() => void)[])[] = []
  #next: (() => void)[] = []
  readonly #send: () => void

  constructor(send: () => void) {
    this.#send = send
  }

  ask(listener: () => void): void {
    // All listeners of one tick share a request.
    if (this.#next.push(listener) === 1) queueMicrotask(() => this.#askNow())
  }

  /** Counts a request that ssh2 itself sent, because the client answers it too. */
  asked(): void {
    this.#pending.push([])
  }

  /** Called when the client answers the oldest request. */
  answered(): void {
    for (const listener of this.#pending.shift() ?? []) listener()
  }

  #askNow(): void {
    this.#pending.push(this.#next)
    this.#next = []
    this.#send()
  }
}

/** Watches a client's answers, which ssh2 itself drops. */
export function watchAnswers(client: Connection): Answers {
  const { _protocol: protocol } = clientInternals(client)
  const ping = protocol?.ping?.bind(protocol)
  const handlers = protocol?._handlers
  if (!protocol || !ping || !handlers) throw new Error('ssh2 has changed: its clients cannot be asked')
  const socket = socketOf(client)
  // After an error nothing can be sent, but ssh2's timer still pings until the socket is closed.
  const send = (): void => void (socket.writable && ping())
  const answers = new Answers(send)
  protocol.ping = () => {
    answers.asked()
    send()
  }
  handlers.REQUEST_SUCCESS = handlers.REQUEST_FAILURE = () => answers.answered()
  return answers
}

/** Returns how many bytes a channel can send now: 0 while its window is closed or keys are exchanged. */
export function sendableBytes(channel: ServerChannel): number {
  const { outgoing, _client } = channelInternals(channel)
  if (outgoing.state !== 'open' || _client._protocol._kexinit !== undefined) return 0
  return Math.min(outgoing.window, outgoing.packetSize)
}

/**
 * Sends at most `sendableBytes` as one packet. A channel's own `write` buffers the excess, sends it twice if
 * the other stream waits too, drops it when the channel is closed, and ignores a full socket.
 */
export function sendPacket(channel: ServerChannel, bytes: Buffer, stream: 'out' | 'err'): void {
  const { outgoing, _client } = channelInternals(channel)
  writeTogether(_client._sock, () => {
    if (stream === 'out') _client._protocol.channelData(outgoing.id, bytes)
    else _client._protocol.channelExtData(outgoing.id, bytes, STDERR)
  })
  outgoing.window -= bytes.length
}
