/**
 * first-and-last/ has the first line that a peer sends, and the last words that it reads: why it is disconnected. It must not know when
 * that is, nor people or keys: it knows bytes and sockets.
 */
import type { Socket } from 'node:net'

/** How long a client may take to read why it is disconnected, and to hang up. */
const READING_MS = 1_000

/** So many have this time at once, so that whoever fills it costs no more than this; of one more the oldest has had its time. */
const READERS = 256

/** Closes a connection once its client has read what was written last. */
export type CloseWhenRead = (socket: Socket) => void

/**
 * What a client sends meanwhile is thrown away: what is left unread would take those words back. A client that has stopped reading
 * is not waited for.
 */
export function createFarewell(): CloseWhenRead {
  /** In order of age. */
  const readers = new Set<Socket>()
  return (socket) => {
    if (socket.destroyed || readers.has(socket)) return
    if (socket.writableNeedDrain) return void socket.destroy()
    const [oldest] = readers
    if (oldest && readers.size >= READERS) {
      readers.delete(oldest)
      oldest.destroy()
    }
    readers.add(socket)
    const timer = setTimeout(() => socket.destroy(), READING_MS)
    socket.once('close', () => {
      readers.delete(socket)
      clearTimeout(timer)
    })
    socket.removeAllListeners('data').removeAllListeners('readable')
    socket.end()
    socket.resume()
  }
}

/** RFC 4253, section 11.1. */
const DISCONNECT = 1
export const BY_APPLICATION = 11
export const TOO_MANY_CONNECTIONS = 12

/** The message that tells a client why it is disconnected, which OpenSSH prints. */
export function disconnectMessage(why: string, reason: number): Buffer {
  const text = Buffer.from(why, 'utf8')
  const noLanguage = number(0)
  return Buffer.concat([Buffer.of(DISCONNECT), number(reason), number(text.length), text, noLanguage])
}

/** That message for a client that has exchanged no keys yet. */
export const plainDisconnect = (why: string, reason: number): Buffer => packet(disconnectMessage(why, reason))

/** An unencrypted packet (RFC 4253, section 6): a multiple of eight bytes, at least four of them padding. */
function packet(payload: Buffer): Buffer {
  const padding = 4 + ((8 - ((5 + payload.length + 4) % 8)) % 8)
  return Buffer.concat([
    number(1 + payload.length + padding),
    Buffer.of(padding),
    payload,
    Buffer.alloc(padding),
  ])
}

function number(value: number): Buffer {
  const bytes = Buffer.alloc(4)
  bytes.writeUInt32BE(value)
  return bytes
}
