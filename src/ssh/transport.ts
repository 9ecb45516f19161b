import type { Socket } from 'node:net'
import type { Algorithms, Connection as SshClient, Server } from 'ssh2'
import { errorMessage } from '../base/errors.ts'
import type { HostKey } from './keys/host-keys.ts'
import { signingKey } from './keys/signature.ts'
import { writeStrings } from './keys/wire.ts'
import { ssh2 } from './ssh2/library.ts'
import { disconnectMessage, socketOf } from './ssh2/internals.ts'

/**
 * OpenSSH 9's preferences among ssh2's algorithms, without NIST curves and without compression, which makes a
 * server allocate. ssh2 itself adds strict key exchange (against CVE-2023-48795).
 */
const ALGORITHMS: Algorithms = {
  kex: ['curve25519-sha256', 'curve25519-sha256@libssh.org'],
  serverHostKey: ['ssh-ed25519', 'rsa-sha2-512', 'rsa-sha2-256'],
  cipher: [
    'chacha20-poly1305@openssh.com',
    'aes256-gcm@openssh.com',
    'aes128-gcm@openssh.com',
    'aes256-ctr',
    'aes128-ctr',
  ],
  hmac: ['hmac-sha2-256-etm@openssh.com', 'hmac-sha2-512-etm@openssh.com'],
  compress: ['none'],
}

/** A dead peer is detected after 45 s: at the third unanswered keepalive. */
const KEEPALIVE = { keepaliveInterval: 15_000, keepaliveCountMax: 2 }

const IDENT = 'sshawl'
const VERSION = Buffer.from(`SSH-2.0-${IDENT}\r\n`)

/** Speaks SSH on a socket. Calls `onClient` when the peer has sent its version. */
export type Transport = (socket: Socket, showBanner: boolean, onClient: (client: SshClient) => void) => void

/** An ssh2 server has a fixed banner, so there is a server for each banner. Host keys are parsed once. */
export function createTransport(hostKeys: readonly HostKey[], banner: () => string): Transport {
  const listeners = new WeakMap<Socket, (client: SshClient) => void>()
  const servers = new Map<string, Server>()
  const create = (shown: string): Server => {
    const server = new ssh2.Server({
      hostKeys: hostKeys.map(({ pem }) => ({ key: signingKey(pem) })),
      algorithms: ALGORITHMS,
      ...(shown === '' ? {} : { banner: shown }),
      ident: IDENT,
      ...KEEPALIVE,
    })
    server.on('connection', (client) => listeners.get(socketOf(client))?.(client))
    servers.set(shown, server)
    return server
  }
  return (socket, showBanner, onClient) => {
    const shown = showBanner ? banner().trimEnd() : ''
    listeners.set(socket, onClient)
    const server = servers.get(shown) ?? create(shown)
    server.injectSocket(socket)
  }
}

/** Closes a connection before the key exchange with a reason that OpenSSH prints. */
export function refuse(socket: Socket, why: string): void {
  if (!socket.writable) return void socket.destroy()
  if (socket.bytesWritten === 0) socket.write(VERSION)
  socket.write(unencryptedDisconnect(why))
  closeGracefully(socket)
}

/** Time in ms for a client to read the reason and disconnect. */
const READING_MS = 1_000

/** Limit of connections in their reading time; the oldest one is closed if there are more. */
const MAX_READERS = 256

/** Ordered by age, oldest first. */
const readers = new Set<Socket>()

/**
 * Closes a connection after its client has read the last output, or at once if the client does not read. Goes
 * on reading input, because closing with unread input resets the connection and discards the output.
 */
export function closeGracefully(socket: Socket): void {
  if (socket.destroyed || readers.has(socket)) return
  if (socket.writableNeedDrain) return void socket.destroy()
  const [oldest] = readers
  if (oldest && readers.size >= MAX_READERS) {
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

/** Encodes a packet: a multiple of eight bytes, padded by at least four (RFC 4253, section 6). */
function unencryptedDisconnect(why: string): Buffer {
  const message = disconnectMessage(why)
  const padding = 4 + ((8 - ((5 + message.length + 4) % 8)) % 8)
  const packet = Buffer.concat([Buffer.of(padding), message, Buffer.alloc(padding)])
  return writeStrings(packet)
}

const TOO_LONG =
  'nothing was done: a command line can have about 34,000 bytes; pipe a longer text in, as in: ssh HOST say ROOM < FILE'

const MAX_SAID = 200

/** For packets that ssh2 deems impossible, such as a key exchange's second message before its first. */
const OUT_OF_ORDER = 'the client sent a packet that is out of order or incomplete'

/** Returns the reason why a connection ended, for the log and the client. Most texts are ssh2's own. */
export function reasonOf(error: unknown): string {
  const said = errorMessage(error).slice(0, MAX_SAID)
  // ssh2's only limit of a packet (RFC 4253, 6.1), most likely exceeded by a command line.
  if (said === 'Bad packet length') return TOO_LONG
  if (error instanceof TypeError || error instanceof RangeError) return OUT_OF_ORDER
  const level = error instanceof Error && 'level' in error ? error.level : undefined
  return level === 'client-timeout' ? 'the client did not answer any more' : said
}
