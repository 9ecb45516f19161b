import fc from 'fast-check'
import { cells, command, text } from './words.ts'

/** Messages of the SSH connection protocol (RFC 4254) as they are, on a connection of their own; base64. */
export interface PacketsCase {
  readonly kind: 'packets'
  readonly packets: readonly string[]
}

/** Builds messages from the data types of RFC 4251, section 5. */
const u32 = (value: number): Buffer => {
  const bytes = Buffer.alloc(4)
  bytes.writeUInt32BE(value >>> 0)
  return bytes
}
const str = (value: string | Uint8Array): Buffer => {
  const bytes = Buffer.from(value)
  return Buffer.concat([u32(bytes.length), bytes])
}
const bool = (value: boolean): Buffer => Buffer.of(value ? 1 : 0)
const message = (number: number, ...parts: readonly Uint8Array[]): Buffer =>
  Buffer.concat([Buffer.of(number), ...parts])

const size = fc.oneof(
  fc.constantFrom(0, 1, 2, 3, 9, 1024, 32_768, 2 ** 31, 2 ** 32 - 1),
  fc.integer({ min: 0, max: 100_000 }),
)
/** The server's numbers begin with 0, so that most messages are for a channel that is there. */
const channel = fc.constantFrom(0, 0, 0, 0, 1, 1, 2, 3)
const bytes = fc.uint8Array({ maxLength: 64 })

const open = fc
  .tuple(
    fc.constantFrom('session', 'session', 'session', 'session', 'session', 'direct-tcpip', 'x11', ''),
    channel,
    size,
    size,
    bytes,
  )
  .map(([type, sender, window, packet, more]) =>
    message(
      90,
      str(type),
      u32(sender),
      u32(window),
      u32(packet),
      type === 'session' ? Buffer.alloc(0) : more,
    ),
  )
const pty = fc
  .tuple(channel, cells, cells, bytes)
  .map(([to, columns, rows, modes]) =>
    message(
      98,
      u32(to),
      str('pty-req'),
      bool(true),
      str('xterm'),
      u32(columns),
      u32(rows),
      u32(0),
      u32(0),
      str(modes),
    ),
  )
const resize = fc
  .tuple(channel, cells, cells)
  .map(([to, columns, rows]) =>
    message(98, u32(to), str('window-change'), bool(false), u32(columns), u32(rows), u32(0), u32(0)),
  )
const start = fc
  .tuple(channel, fc.oneof(fc.constant(undefined), command, text))
  .map(([to, what]) =>
    message(
      98,
      u32(to),
      ...(what === undefined ? [str('shell'), bool(true)] : [str('exec'), bool(true), str(what)]),
    ),
  )
const request = fc
  .tuple(
    channel,
    fc.constantFrom(
      'env',
      'signal',
      'subsystem',
      'x11-req',
      'auth-agent-req@openssh.com',
      'eow@openssh.com',
      'break',
      'exit-status',
      'keepalive@openssh.com',
      '',
    ),
    fc.boolean(),
    bytes,
  )
  .map(([to, type, wantsReply, more]) => message(98, u32(to), str(type), bool(wantsReply), more))
const data = fc.tuple(channel, bytes).map(([to, sent]) => message(94, u32(to), str(sent)))
const ends = fc.tuple(fc.constantFrom(96, 97), channel).map(([number, to]) => message(number, u32(to)))
const adjust = fc.tuple(channel, size).map(([to, more]) => message(93, u32(to), u32(more)))
const global = fc
  .tuple(
    fc.constantFrom('tcpip-forward', 'keepalive@openssh.com', 'no-more-sessions@openssh.com', ''),
    fc.boolean(),
    bytes,
  )
  .map(([type, wantsReply, more]) => message(80, str(type), bool(wantsReply), more))
const noise = fc.tuple(fc.integer({ min: 0, max: 255 }), bytes).map(([number, rest]) => message(number, rest))

/** Any messages, after one that opens a channel. */
export const packets: fc.Arbitrary<PacketsCase> = fc
  .tuple(
    open,
    fc.array(
      fc.oneof(
        { weight: 3, arbitrary: open },
        { weight: 3, arbitrary: pty },
        { weight: 5, arbitrary: start },
        { weight: 2, arbitrary: resize },
        { weight: 2, arbitrary: request },
        { weight: 3, arbitrary: data },
        { weight: 2, arbitrary: adjust },
        { weight: 1, arbitrary: ends },
        { weight: 1, arbitrary: global },
        { weight: 1, arbitrary: noise },
      ),
      { maxLength: 15 },
    ),
  )
  .map(([first, more]) => ({
    kind: 'packets',
    packets: [first, ...more].map((packet) => packet.toString('base64')),
  }))
