import type { Socket } from 'node:net'
import { IDENT } from './transport.ts'

/** RFC 4253, section 11.1. */
const DISCONNECT = 1
const TOO_MANY_CONNECTIONS = 12

/** How long a client may take to read it. */
const READING_MS = 1_000

/**
 * Closes a connection on which nothing was said yet, in words that OpenSSH prints: a client may be disconnected before keys are
 * exchanged. It shows lines before the version only where it is asked for more (`-v`).
 */
export function turnAway(socket: Socket, why: string): void {
  socket.end(Buffer.concat([Buffer.from(`SSH-2.0-${IDENT}\r\n`), packet(disconnect(why))]))
  // What a client sends meanwhile must be read: what is left unread would take the words back.
  socket.resume()
  const timer = setTimeout(() => socket.destroy(), READING_MS)
  socket.once('close', () => clearTimeout(timer))
}

function disconnect(why: string): Buffer {
  const text = Buffer.from(why, 'utf8')
  const noLanguage = number(0)
  return Buffer.concat([
    Buffer.from([DISCONNECT]),
    number(TOO_MANY_CONNECTIONS),
    number(text.length),
    text,
    noLanguage,
  ])
}

/** An unencrypted packet (RFC 4253, section 6): a multiple of eight bytes, at least four of them padding. */
function packet(payload: Buffer): Buffer {
  const padding = 4 + ((8 - ((5 + payload.length + 4) % 8)) % 8)
  return Buffer.concat([
    number(1 + payload.length + padding),
    Buffer.from([padding]),
    payload,
    Buffer.alloc(padding),
  ])
}

function number(value: number): Buffer {
  const bytes = Buffer.alloc(4)
  bytes.writeUInt32BE(value)
  return bytes
}
