/**
 * adapters/ssh/ leads from a TCP socket to a terminal. The road is server -> connection -> login ->
 * person-connection -> channel -> terminal, or exec at its end; each of the other files is one thing that
 * these use. Behind a load balancer, proxies/ comes first.
 *
 * It must not know rooms, commands, models or storage: a `ClientHandler` (session/ports.ts) says who a key
 * belongs to and what a shell or a command does.
 */
import { once } from 'node:events'
import { createServer } from 'node:net'
import type { AddressInfo, Socket } from 'node:net'
import type { Log } from '../../chat/ports.ts'
import { createScheduler, type Scheduler } from '../../lib/jobs/scheduler.ts'
import { settledWithin } from '../../lib/jobs/settled-within.ts'
import type { ClientHandler } from '../../session/ports.ts'
import { Admission } from './admission.ts'
import type { ConnectionContext } from './connection-context.ts'
import { serveConnection, type ServedConnection } from './connection.ts'
import type { HostKey } from './keys/host-keys.ts'
import type { SshLimits } from './limits.ts'
import { SendQueues } from './outbox.ts'
import { createProxies } from './proxy-protocol.ts'
import { Quota } from '../../lib/quota.ts'
import { createTransport, refuse } from './transport.ts'

export interface SshServerOptions {
  /** At least one; from `loadHostKeys`. */
  readonly hostKeys: readonly HostKey[]
  readonly limits: SshLimits
  /**
   * Tells how to make a key and how to come in. A client sees it before its login, if the last login from its
   * network was refused. May be empty. Asked for each connection.
   */
  readonly banner: () => string
  /** The CAs whose user certificates are trusted, as lines of a `.pub` file. Asked at each login. */
  readonly cas: () => readonly string[]
  /**
   * Networks of proxies, whose connections begin with the address of their client. Asked at each connection.
   */
  readonly proxies: () => readonly string[]
  readonly handler: ClientHandler
  /** Milliseconds since the epoch, by which certificates end. */
  readonly now: () => number
  readonly log: Log
}

/** Listens for SSH connections and hands the people on them to a `ClientHandler`. */
export interface SshServer extends AsyncDisposable {
  /** Starts; resolves with the address that was taken (port 0: any). Rejects if it cannot listen there. */
  listen(host: string, port: number): Promise<{ readonly host: string; readonly port: number }>
  /** Bytes that wait for clients. */
  queued(): number
  /** Shares the thread between its connections; whatever else serves people has to use it, too. */
  readonly scheduler: Scheduler
  /**
   * Lets nobody in any more and says goodbye to every session; commands go on until they have ended, or the
   * server is disposed of.
   */
  drain(): void
  /** Says goodbye to every session, aborts every command, and closes all within 2 s. */
  [Symbol.asyncDispose](): Promise<void>
}

/** When the server stops, a peer that does not hang up by itself is cut off after this time. */
const GRACE_MS = 1_500

/** Makes a server that does not listen yet. */
export function createSshServer(options: SshServerOptions): SshServer {
  const { limits, log } = options
  const connections = new Map<Socket, ServedConnection | undefined>()
  const admission = new Admission(limits)
  const logRefusal = createRefusalLog(log)
  const proxies = createProxies({ networks: options.proxies, limits, log })
  const context = sharedContext(options)
  /** Resolves once nobody is connected; undefined while everybody may come. */
  let closed: Promise<void> | undefined

  function evict(socket: Socket, address: string): void {
    const served = connections.get(socket)
    if (served) return served.drop(EVICTED)
    logRefusal(address, EVICTED)
    refuse(socket, EVICTED)
  }

  function receive(socket: Socket, address: string): void {
    if (closed) return refuse(socket, 'The server is going down; try again in a while.')
    const slot = admission.admit(address, () => evict(socket, address))
    if ('refusal' in slot) {
      logRefusal(address, slot.refusal)
      return refuse(socket, slot.refusal)
    }
    connections.set(socket, undefined)
    const start = (): void =>
      slot.waitForTurn(() => connections.set(socket, serveConnection(socket, address, context, slot)))
    const timer = slot.delayMs > 0 ? setTimeout(start, slot.delayMs) : undefined
    socket.once('close', () => {
      clearTimeout(timer)
      connections.delete(socket)
      slot.release()
    })
    if (!timer) start()
  }

  /** Lets nobody in any more. */
  function close(): Promise<void> {
    // Also called where it does not listen, with an error.
    closed ??= new Promise((resolve) => void listener.close(() => resolve()))
    return closed
  }

  const listener = createServer({ noDelay: true }, (socket) => {
    socket.on('error', () => socket.destroy())
    const peer = peerAddress(socket)
    if (!proxies.include(peer)) return receive(socket, peer)
    connections.set(socket, undefined)
    socket.once('close', () => connections.delete(socket))
    proxies.receive(socket, peer, (client) => receive(socket, client))
  })
  return {
    async listen(host, port) {
      listener.listen(port, host)
      await once(listener, 'listening')
      listener.on('error', (error) => log.error({ error }, 'cannot accept a connection'))
      const { address, port: taken } = listener.address() as AddressInfo
      return { host: address, port: taken }
    },
    queued: () => context.queues.total(),
    scheduler: context.scheduler,
    drain() {
      void close()
      for (const [socket, served] of connections) {
        if (served) served.drain()
        else socket.destroy()
      }
    },
    async [Symbol.asyncDispose]() {
      const nobody = close()
      for (const [socket, served] of connections) {
        if (served) served.stop()
        else socket.destroy()
      }
      const timer = setTimeout(() => [...connections.keys()].forEach((socket) => socket.destroy()), GRACE_MS)
      await nobody
      clearTimeout(timer)
      // Whoever hung up just now leaves their room, and what they typed is kept, while there is something to
      // store it.
      await settledWithin(GRACE_MS, context.jobs)
    },
  }
}

const EVICTED =
  'Too many connections wait for their login here, most of them from your address or from those next to it; try again in a minute.'

const REFUSALS_LOGGED_MS = 60_000

/** Logs a line a minute at most: an attacker must not fill the log. `count` is how many there were since the last line. */
function createRefusalLog(log: Log): (address: string, why: string) => void {
  let count = 0
  let loggedAt = -Infinity
  return (address, why) => {
    count++
    const now = performance.now()
    if (now - loggedAt < REFUSALS_LOGGED_MS) return
    log.warn({ address, why, count }, 'connections are turned away')
    loggedAt = now
    count = 0
  }
}

const BYTES_PER_MB = 1024 * 1024

/** What all connections of a server share. */
const sharedContext = ({
  hostKeys,
  banner,
  cas,
  limits,
  handler,
  now,
  log,
}: SshServerOptions): ConnectionContext => ({
  entrance: {
    transport: createTransport(hostKeys, banner),
    cas: () => cas().map(wireForm),
    now,
  },
  limits,
  handler,
  log,
  scheduler: createScheduler({ now: () => performance.now(), soon: (run) => void setImmediate(run) }),
  queues: new SendQueues(() => limits.queues_mb * BYTES_PER_MB),
  quotas: {
    connections: new Quota(() => limits.connections_per_person),
    commands: new Quota(() => limits.exec_per_person),
    commandsOfNetwork: new Quota(() => limits.exec_per_address),
  },
  jobs: new Set(),
})

const wireForm = (line: string): Buffer => Buffer.from(line.trim().split(/ +/)[1] ?? '', 'base64')

const peerAddress = (socket: Socket): string => (socket.remoteAddress ?? '').replace(/^::ffff:/, '')
