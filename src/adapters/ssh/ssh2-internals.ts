import type { Socket } from 'node:net'
import type { Connection, ServerChannel } from 'ssh2'

/**
 * The only file that reaches into ssh2 (1.17), for what it has no public way to do. If the parts are not where they
 * were, `socketOf` and `guardClient` throw, so that an upgrade cannot remove a guard unseen.
 */

type Bytes = Buffer

interface Protocol {
  readonly _handlers?: Handlers
  /** Set while keys are exchanged. Until then ssh2 keeps every packet in a list without end. */
  readonly _kexinit?: unknown
  parse?(chunk: Bytes, from: number, to: number): void
  channelData(id: number, data: Bytes): void
  channelExtData(id: number, data: Bytes, type: number): void
  channelOpenFail(sender: number, reason: number, description: string): void
}

interface Handlers {
  CHANNEL_OPEN?: (protocol: Protocol, info: { sender: number; packetSize: number }) => void
  CHANNEL_DATA?: (protocol: Protocol, recipient: number, data: Bytes) => void
  CHANNEL_WINDOW_ADJUST?: (protocol: Protocol, recipient: number, amount: number) => void
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
  readonly _client: { readonly _protocol: Protocol }
}

const inside = (client: Connection): Internals => client as unknown as Internals
const insideChannel = (channel: ServerChannel): ChannelInternals => channel as unknown as ChannelInternals

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
  /** Bytes have come. Whoever is called hands them to `feed`, in the same order, now or later, in any pieces. */
  onInput(bytes: Bytes, feed: (piece: Bytes) => void): void
}

/**
 * RFC 4253, section 6.1, wants 32,768 bytes, and that is what real clients offer. With 0 the write loop of ssh2 never
 * ends, and with 1 each byte would cost a packet.
 */
const MIN_PACKET_BYTES = 1_024

/** RFC 4254, section 5.2: a window must not grow above this. */
const MAX_WINDOW_BYTES = 2 ** 32 - 1

/** RFC 4254, section 5.1. */
const RESOURCE_SHORTAGE = 4

/**
 * Refuses channels with small packets, and tells of data past the window that we granted, which ssh2 takes, and of a
 * window above what the protocol allows. Throws if ssh2 has changed.
 */
export function guardClient(client: Connection, { onFault, onWindowGrown, onInput }: ClientWatch): void {
  const { _protocol: protocol, _chanMgr: channels } = inside(client)
  const handlers = protocol?._handlers
  const { CHANNEL_OPEN: open, CHANNEL_DATA: take, CHANNEL_WINDOW_ADJUST: adjust } = handlers ?? {}
  if (!handlers || !channels || !open || !take || !adjust || !protocol?.parse)
    throw new Error('ssh2 has changed: its channels cannot be guarded')
  handlers.CHANNEL_OPEN = (own, info) => {
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
  divert(protocol, onInput)
}

/** Hands what comes to `onInput` in the place of ssh2's parser, which would parse all of it at once. */
function divert(protocol: Protocol, onInput: ClientWatch['onInput']): void {
  const parse = protocol.parse?.bind(protocol)
  // When it is done with a connection, ssh2 replaces its parser too; nothing may be parsed after that.
  const feed = (piece: Bytes): void => {
    if (protocol.parse === diverted) parse?.(piece, 0, piece.length)
  }
  const diverted = (chunk: Bytes, from: number, to: number): void => onInput(chunk.subarray(from, to), feed)
  protocol.parse = diverted
}

/** What ssh2's parser threw, in words for the log. Its only limit of a packet (RFC 4253, 6.1) is in its crypto.js. */
export const parserFault = (error: unknown): string =>
  error instanceof Error && error.message === 'Bad packet length'
    ? 'sent a packet that is garbled, or longer than 35,000 bytes'
    : String(error)

/** How many bytes can be sent on a channel now; 0 while the window is closed or keys are exchanged. */
export function sendableBytes(channel: ServerChannel): number {
  const { outgoing, _client } = insideChannel(channel)
  if (outgoing.state !== 'open' || _client._protocol._kexinit !== undefined) return 0
  return Math.min(outgoing.window, outgoing.packetSize)
}

/** RFC 4254, section 5.2: the only type of extended data. */
const STDERR = 1

/**
 * Sends at most `sendableBytes` as one packet. A channel's own `write` is not used: it keeps what does not fit, sends it
 * twice when the other stream waits too, drops it when the channel is closed, and does not heed a socket that is full.
 */
export function sendPacket(channel: ServerChannel, bytes: Bytes, stream: 'out' | 'err'): void {
  const { outgoing, _client } = insideChannel(channel)
  if (stream === 'out') _client._protocol.channelData(outgoing.id, bytes)
  else _client._protocol.channelExtData(outgoing.id, bytes, STDERR)
  outgoing.window -= bytes.length
}
