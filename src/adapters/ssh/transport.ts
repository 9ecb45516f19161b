import type { Socket } from 'node:net'
import type { Algorithms, Connection as SshClient, Server } from 'ssh2'
import { errorMessage } from '../../lib/errors.ts'
import type { HostKey } from './keys/host-keys.ts'
import { signingKey } from './keys/signature.ts'
import { writeStrings } from './keys/wire.ts'
import { ssh2 } from './ssh2.ts'
import { disconnectMessage, socketOf } from './ssh2-internals.ts'

/**
 * What OpenSSH 9 still prefers of ssh2's list, without NIST curves, and without compression, which makes a
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

/** A dead peer is noticed after 45 s: two unanswered keepalives are forgiven, the third is not. */
const KEEPALIVE = { keepaliveInterval: 15_000, keepaliveCountMax: 2 }

const IDENT = 'sshawl'
const VERSION = Buffer.from(`SSH-2.0-${IDENT}\r\n`)

/** Speaks SSH on a socket. `onClient` is called once the peer has sent its version. */
export type Transport = (socket: Socket, showBanner: boolean, onClient: (client: SshClient) => void) => void

/** The banner belongs to an ssh2 server, so there is one for each banner; it parses the host keys once. */
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

/** Closes a connection on which no keys were exchanged, in words that OpenSSH prints. */
export function refuse(socket: Socket, why: string): void {
  if (!socket.writable) return void socket.destroy()
  if (socket.bytesWritten === 0) socket.write(VERSION)
  socket.write(unencryptedDisconnect(why))
  closeGracefully(socket)
}

/** How long a client may take to read the words and hang up. */
const READING_MS = 1_000

/** Of more connections that have this time at once, the oldest is closed. */
const MAX_READERS = 256

/** In order of age. */
const readers = new Set<Socket>()

/**
 * Closes a connection once its client has read what was written last. What the client sends meanwhile is
 * read: otherwise it would reset the connection, and take the words back. A client that does not read is
 * closed at once.
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

/** RFC 4253, section 6: a packet is a multiple of eight bytes, padded by at least four. */
function unencryptedDisconnect(why: string): Buffer {
  const message = disconnectMessage(why)
  const padding = 4 + ((8 - ((5 + message.length + 4) % 8)) % 8)
  const packet = Buffer.concat([Buffer.of(padding), message, Buffer.alloc(padding)])
  return writeStrings(packet)
}

const TOO_LONG =
  'nothing was done: a command line can have about 34,000 bytes; pipe a longer text in, as in: ssh HOST say ROOM < FILE'

const MAX_SAID = 200

/** Why a connection ended, in words for the log and the client: mostly ssh2's own. */
export function reasonOf(error: unknown): string {
  const said = errorMessage(error).slice(0, MAX_SAID)
  // The only limit of a packet that ssh2 has (RFC 4253, 6.1), most likely reached by a command line.
  if (said === 'Bad packet length') return TOO_LONG
  const level = error instanceof Error && 'level' in error ? error.level : undefined
  return level === 'client-timeout' ? 'the client did not answer any more' : said
}
