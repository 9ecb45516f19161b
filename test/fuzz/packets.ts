import fc from 'fast-check'
import {
  bool,
  message,
  openMessage,
  ptyMessage,
  requestMessage,
  str,
  u32,
} from '../support/load/ssh-messages.ts'
import { cells, command, text } from './words.ts'

/** Messages of the SSH connection protocol (RFC 4254) as they are, on a connection of their own; base64. */
export interface PacketsCase {
  readonly kind: 'packets'
  readonly packets: readonly string[]
}

const size = fc.oneof(
  fc.constantFrom(0, 1, 2, 3, 9, 1024, 32_768, 2 ** 31, 2 ** 32 - 1),
  fc.integer({ min: 0, max: 100_000 }),
)
/** The server's numbers begin with 0, so that most messages are for a channel that is there. */
const channel = fc.constantFrom(0, 0, 0, 0, 1, 1, 2, 3)
/** What a packet may hold; no real client asks for less than 32,768 bytes. */
const packetSize = fc.oneof(fc.constantFrom(0, 1, 2, 9), size)
const bytes = fc.uint8Array({ maxLength: 64 })

const typeOfChannel = fc.constantFrom(
  ...Array.from({ length: 5 }, () => 'session'),
  'direct-tcpip',
  'x11',
  '',
)
const typeOfRequest = fc.constantFrom(
  ...'env,signal,subsystem,x11-req,auth-agent-req@openssh.com,eow@openssh.com,break,exit-status,keepalive@openssh.com,'.split(
    ',',
  ),
)
const typeOfGlobal = fc.constantFrom(
  'tcpip-forward',
  'keepalive@openssh.com',
  'no-more-sessions@openssh.com',
  '',
)

const open = fc
  .tuple(typeOfChannel, channel, size, packetSize)
  .map(([type, sender, window, packet]) => openMessage(type, sender, window, packet))
const pty = fc
  .tuple(channel, cells, cells, bytes)
  .map(([to, columns, rows, modes]) => ptyMessage(to, columns, rows, modes))
const resize = fc
  .tuple(channel, cells, cells)
  .map(([to, ...sizes]) => requestMessage(to, 'window-change', false, ...sizes.map(u32), u32(0), u32(0)))
const shell = channel.map((to) => requestMessage(to, 'shell', true))
const exec = fc
  .tuple(channel, fc.oneof(command, text))
  .map(([to, line]) => requestMessage(to, 'exec', true, str(line)))
const request = fc
  .tuple(channel, typeOfRequest, fc.boolean(), bytes)
  .map(([to, type, wantsReply, more]) => requestMessage(to, type, wantsReply, more))
const data = fc.tuple(channel, bytes).map(([to, sent]) => message(94, u32(to), str(sent)))
const ends = fc.tuple(fc.constantFrom(96, 97), channel).map(([number, to]) => message(number, u32(to)))
const adjust = fc.tuple(channel, size).map(([to, more]) => message(93, u32(to), u32(more)))
const global = fc
  .tuple(typeOfGlobal, fc.boolean(), bytes)
  .map(([type, wantsReply, more]) => message(80, str(type), bool(wantsReply), more))
const noise = fc.tuple(fc.integer({ min: 0, max: 255 }), bytes).map(([number, rest]) => message(number, rest))

const often = (weight: number) => (arbitrary: fc.Arbitrary<Buffer>) => ({ weight, arbitrary })

/** Any messages, after one that opens a channel. */
export const packets: fc.Arbitrary<PacketsCase> = fc
  .tuple(
    open,
    fc.array(
      fc.oneof(
        ...[open, pty, shell, exec, data].map(often(3)),
        ...[resize, request, adjust].map(often(2)),
        ends,
        global,
        noise,
      ),
      { maxLength: 15 },
    ),
  )
  .map(([first, more]) => ({
    kind: 'packets',
    packets: [first, ...more].map((packet) => packet.toString('base64')),
  }))
