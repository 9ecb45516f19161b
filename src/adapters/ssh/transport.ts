import type { Socket } from 'node:net'
import type { Connection, Server } from 'ssh2'
import { ALGORITHMS } from './algorithms.ts'
import { signingKey } from './keys/ed25519.ts'
import type { HostKey } from './keys/host-key.ts'
import { socketOf } from './ssh2-internals.ts'
import { ssh2 } from './ssh2.ts'

/** A dead peer is noticed after 45 s: two unanswered keepalives are forgiven, the third is not. */
const KEEPALIVE = { keepaliveInterval: 15_000, keepaliveCountMax: 2 }

/** What the server says it is, after `SSH-2.0-`. */
const IDENT = 'sshawl'

/** Begins to speak SSH on a socket. `onClient` is called once the peer has said that it does so too. */
export type Greet = (socket: Socket, withBanner: boolean, onClient: (client: Connection) => void) => void

/** ssh2's servers, which parse the host keys once. There is one for each banner, because the banner belongs to a server. */
export function createTransports(hostKeys: readonly HostKey[], banner: () => string): Greet {
  const greeted = new WeakMap<Socket, (client: Connection) => void>()
  const servers = new Map<string, Server>()
  const create = (shown: string): Server => {
    const server = new ssh2.Server({
      hostKeys: hostKeys.map(({ pem }) => ({ key: signingKey(pem) })),
      algorithms: ALGORITHMS,
      ...(shown === '' ? {} : { banner: shown }),
      ident: IDENT,
      ...KEEPALIVE,
    })
    server.on('connection', (client) => greeted.get(socketOf(client))?.(client))
    servers.set(shown, server)
    return server
  }
  return (socket, withBanner, onClient) => {
    greeted.set(socket, onClient)
    const shown = withBanner ? banner().trimEnd() : ''
    const server = servers.get(shown) ?? create(shown)
    server.injectSocket(socket)
  }
}

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
