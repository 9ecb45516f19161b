/** What a client sends before anything is encrypted, byte by byte, as ssh2's client would not send it. */
import { str } from './load/ssh-messages.ts'

/** A packet without encryption (RFC 4253, section 6). */
function packet(...payload: readonly Buffer[]): Buffer {
  const bytes = Buffer.concat(payload)
  const padding = 16 - ((bytes.length + 5) % 8)
  return str(Buffer.concat([Buffer.of(padding), bytes, Buffer.alloc(padding)]))
}

/** SSH_MSG_KEX_ECDH_INIT with the client's part of an exchange. */
export const firstMessage = (part: Uint8Array): Buffer => packet(Buffer.of(30), str(part))

/** A version, a KEXINIT with one exchange, and at once the first message of it. */
export const guess = (kex: string, part: Uint8Array): Buffer =>
  Buffer.concat([VERSION, kexInit(kex), firstMessage(part)])

const VERSION = Buffer.from('SSH-2.0-guess\r\n')

function kexInit(kex: string): Buffer {
  const both = ['aes128-ctr', 'hmac-sha2-256-etm@openssh.com', 'none'].flatMap((name) => [name, name])
  const lists = [kex, 'ssh-ed25519', ...both, '', ''].map(str)
  return packet(Buffer.of(20), Buffer.alloc(16), ...lists, Buffer.of(1), Buffer.alloc(4))
}

/** The first messages of clients that do not keep to the order of RFC 4253, section 7. */
export const outOfOrder = [
  [
    'the first message of an exchange before KEXINIT',
    Buffer.concat([VERSION, firstMessage(Buffer.alloc(32, 9))]),
  ],
  ['NEWKEYS before KEXINIT', Buffer.concat([VERSION, packet(Buffer.of(21))])],
] as const
