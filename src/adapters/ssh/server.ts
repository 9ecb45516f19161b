/**
 * adapters/ssh/ leads from a TCP socket to a terminal. The road is server -> connection -> login -> channel -> terminal,
 * or exec at its end; each of the other files is one thing that these use.
 *
 * It must not know rooms, commands, models or storage: a `ClientHandler` (session/ports.ts) says who a key belongs to
 * and what a shell or a command does.
 */
import { once, setMaxListeners } from 'node:events'
import { createServer } from 'node:net'
import type { AddressInfo, Socket } from 'node:net'
import type { Log } from '../../chat/ports.ts'
import type { ClientHandler } from '../../session/ports.ts'
import { createAdmission } from './admission.ts'
import { serveConnection } from './connection.ts'
import type { HostKey } from './host-key.ts'
import type { SshLimits } from './limits.ts'
import { createQuota } from './quota.ts'

export interface SshServerOptions {
  /** At least one; from `loadHostKeys`. */
  readonly hostKeys: readonly HostKey[]
  readonly limits: SshLimits
  /** Lines that a client sees before the login if the last one from its network was not let in: how to make a key. */
  readonly banner: string
  readonly handler: ClientHandler
  readonly log: Log
}

/** Listens for SSH connections and hands the people on them to a `ClientHandler`. */
export interface SshServer extends AsyncDisposable {
  /** Starts; resolves with the address that was taken (port 0: any). Rejects if it cannot listen there. */
  listen(host: string, port: number): Promise<{ readonly host: string; readonly port: number }>
  /** Says goodbye to every session, aborts every command, and closes all within 2 s. */
  [Symbol.asyncDispose](): Promise<void>
}

/** When the server stops, a peer that does not hang up by itself is cut off after this time. */
const GRACE_MS = 1_500

/** Makes a server that does not listen yet. */
export function createSshServer(options: SshServerOptions): SshServer {
  const { limits, banner, log } = options
  const stopping = new AbortController()
  // Each connection adds a listener, however many there are.
  setMaxListeners(0, stopping.signal)
  const sockets = new Set<Socket>()
  const admit = createAdmission(limits)
  const context = {
    ...options,
    stopping: stopping.signal,
    connectionsOf: createQuota(() => limits.connections_per_person),
    execsOf: createQuota(() => limits.exec_per_person),
  }
  const listener = createServer({ noDelay: true }, (socket) => {
    socket.on('error', () => socket.destroy())
    const address = peerAddress(socket)
    const admitted = stopping.signal.aborted ? undefined : admit(address)
    if (!admitted) return turnAway(socket)
    sockets.add(socket)
    socket.once('close', () => {
      sockets.delete(socket)
      admitted.closed()
    })
    const shown = { ...context, banner: admitted.isKnown ? '' : banner }
    serveConnection(socket, address, shown, () => admitted.loggedIn())
  })
  return {
    async listen(host, port) {
      listener.listen(port, host)
      await once(listener, 'listening')
      listener.on('error', (error) => log.error({ err: error }, 'cannot accept a connection'))
      const { address, port: taken } = listener.address() as AddressInfo
      return { host: address, port: taken }
    },
    async [Symbol.asyncDispose]() {
      const closed = listener.listening ? once(listener, 'close') : undefined
      listener.close()
      stopping.abort()
      const timer = setTimeout(() => sockets.forEach((socket) => socket.destroy()), GRACE_MS)
      await closed
      clearTimeout(timer)
    },
  }
}

const peerAddress = (socket: Socket): string => (socket.remoteAddress ?? '').replace(/^::ffff:/, '')

/** A line before the version string is allowed by RFC 4253, section 4.2; clients show or log it. */
function turnAway(socket: Socket): void {
  socket.end('Too many connections; try again in a while.\r\n')
  socket.setTimeout(1_000, () => socket.destroy())
}
