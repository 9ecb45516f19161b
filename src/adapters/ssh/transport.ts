import type { Socket } from 'node:net'
import type { Connection, Server } from 'ssh2'
import { ALGORITHMS } from './algorithms.ts'
import { signingKey } from './keys/signature.ts'
import type { HostKey } from './keys/host-keys.ts'
import { plainDisconnect, TOO_MANY_CONNECTIONS, type CloseWhenRead } from './first-and-last/farewell.ts'
import { socketOf } from './ssh2-internals.ts'
import { ssh2 } from './ssh2.ts'
import { readVersion } from './first-and-last/version.ts'

/** A dead peer is noticed after 45 s: two unanswered keepalives are forgiven, the third is not. */
const KEEPALIVE = { keepaliveInterval: 15_000, keepaliveCountMax: 2 }

/** What the server says it is, after `SSH-2.0-`. */
const IDENT = 'sshawl'
const VERSION = Buffer.from(`SSH-2.0-${IDENT}\r\n`)

/** Begins to speak SSH on a socket. */
export type Greet = (socket: Socket, withBanner: boolean, peer: Greeted) => void

/** Who is on the other side. */
export interface Greeted {
  /** Called once the peer has said that it speaks SSH, too. */
  onClient(client: Connection): void
  /** Called once the peer has sent something else. */
  onOther(): void
}

/**
 * ssh2's servers, which parse the host keys once. There is one for each banner, because the banner belongs to
 * a server.
 */
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
  function speak(socket: Socket, withBanner: boolean): void {
    const shown = withBanner ? banner().trimEnd() : ''
    const server = servers.get(shown) ?? create(shown)
    withoutVersion(socket)
    server.injectSocket(socket)
  }

  return (socket, withBanner, { onClient, onOther }) => {
    greeted.set(socket, onClient)
    socket.write(VERSION)
    readVersion(socket, () => speak(socket, withBanner), onOther)
  }
}

/**
 * Closes a connection on which nothing was said yet, in words that OpenSSH prints: a client may be
 * disconnected before keys are exchanged. It shows lines before the version only where it is asked for more
 * (`-v`).
 */
export function turnAway(socket: Socket, why: string, closeWhenRead: CloseWhenRead): void {
  if (!socket.writable) return void socket.destroy()
  socket.write(Buffer.concat([VERSION, plainDisconnect(why, TOO_MANY_CONNECTIONS)]))
  closeWhenRead(socket)
}

/**
 * Lets a socket lose the next bytes that are written to it, which are our version: ssh2 says it by itself,
 * and only now, and we have said it already. Throws if ssh2 has changed.
 */
function withoutVersion(socket: Socket): void {
  const { write } = socket
  socket.write = (bytes: unknown) => {
    socket.write = write
    if (!Buffer.isBuffer(bytes) || !bytes.equals(VERSION))
      throw new Error('ssh2 has changed: it begins with something else than its version')
    return true
  }
}
