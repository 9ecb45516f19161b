/**
 * ssh leads from a TCP socket to a terminal: server -> connection -> login -> channel -> programs.
 * It must not know rooms, commands, models or storage: a `ClientHandler` (terminal/ports.ts) says who has a
 * key and what a shell or a command does.
 */
import { once } from 'node:events'
import { createServer, type AddressInfo, type Server, type Socket } from 'node:net'
import type { Log } from '../base/environment.ts'
import { createScheduler, type Scheduler } from '../base/jobs/scheduler.ts'
import { settledWithin } from '../base/jobs/waiting.ts'
import { Admission } from './admission.ts'
import { Connection } from './connection.ts'
import type { ConnectionContext, SshServerOptions } from './context.ts'
import { SendQueues } from './outbox.ts'
import { Proxies } from './proxy-protocol.ts'
import { Quotas } from './quotas.ts'
import { createTransport, refuse } from './transport.ts'

/** Time in ms after which a peer that does not disconnect is cut off when the server stops. */
const GRACE_MS = 1_500

const EVICTED =
  'Too many connections wait for their login here, most of them from your address; try again in a minute.'

/** Listens for SSH connections and hands the people on them to a `ClientHandler`. */
export class SshServer implements AsyncDisposable {
  readonly #context: ConnectionContext
  readonly #log: Log
  readonly #admission: Admission
  readonly #proxies: Proxies
  readonly #listener: Server
  /** Maps a socket that still waits for its turn to undefined. */
  readonly #connections = new Map<Socket, Connection | undefined>()
  readonly #logRefusal: (address: string, why: string) => void
  /** Resolves when nobody is connected; undefined while the server accepts connections. */
  #closed: Promise<void> | undefined

  constructor(options: SshServerOptions) {
    this.#log = options.log
    const { hostKeys, banner, cas, limits, handler } = options
    this.#context = {
      ...options,
      transport: createTransport(hostKeys, banner),
      cas: () => cas().map(wireForm),
      scheduler: createScheduler({ now: () => performance.now(), soon: (run) => void setImmediate(run) }),
      queues: new SendQueues(() => limits.queues_mb * BYTES_PER_MB),
      quotas: new Quotas(limits, handler),
      jobs: new Set(),
    }
    this.#admission = new Admission(limits)
    this.#proxies = new Proxies(options)
    this.#logRefusal = createRefusalLog(options.log)
    this.#listener = createServer({ noDelay: true }, (socket) => this.#accept(socket))
  }

  /** Resolves to the address in use (port 0: any free port). Rejects if it cannot listen there. */
  async listen(host: string, port: number): Promise<{ readonly host: string; readonly port: number }> {
    this.#listener.listen(port, host)
    await once(this.#listener, 'listening')
    this.#listener.on('error', (error) => this.#log.error({ error }, 'cannot accept a connection'))
    const { address, port: actual } = this.#listener.address() as AddressInfo
    return { host: address, port: actual }
  }

  /** Returns the number of unsent bytes of all clients. */
  queued(): number {
    return this.#context.queues.total()
  }

  /** Divides the thread's time between connections, also those of HTTP. */
  get scheduler(): Scheduler {
    return this.#context.scheduler
  }

  /** Refuses new connections and ends sessions. Commands go on until they end or the server is disposed. */
  drain(): void {
    void this.#close()
    this.#endAll((connection) => connection.drain())
  }

  /** Says goodbye to every session, aborts every command, and closes all within 2 s. */
  async [Symbol.asyncDispose](): Promise<void> {
    const closed = this.#close()
    this.#endAll((connection) => connection.stop())
    const timer = setTimeout(() => this.#connections.forEach((_, socket) => socket.destroy()), GRACE_MS)
    await closed
    clearTimeout(timer)
    // Sessions of people who have just disconnected leave their rooms and save drafts while storage is open.
    await settledWithin(GRACE_MS, this.#context.jobs)
  }

  #accept(socket: Socket): void {
    socket.on('error', () => socket.destroy())
    const peer = (socket.remoteAddress ?? '').replace(/^::ffff:/, '')
    if (!this.#proxies.include(peer)) return this.#receive(socket, peer)
    this.#connections.set(socket, undefined)
    socket.once('close', () => this.#connections.delete(socket))
    this.#proxies.receive(socket, peer, (client) => this.#receive(socket, client))
  }

  #receive(socket: Socket, address: string): void {
    if (this.#closed) return refuse(socket, 'The server is going down; try again in a while.')
    const slot = this.#admission.admit(address, () => this.#evict(socket, address))
    if ('refusal' in slot) {
      this.#logRefusal(address, slot.refusal)
      return refuse(socket, slot.refusal)
    }
    this.#connections.set(socket, undefined)
    const start = (): void =>
      slot.waitForTurn(() =>
        this.#connections.set(socket, new Connection(socket, address, this.#context, slot)),
      )
    const timer = slot.delayMs > 0 ? setTimeout(start, slot.delayMs) : undefined
    socket.once('close', () => {
      clearTimeout(timer)
      this.#connections.delete(socket)
      slot.release()
    })
    if (!timer) start()
  }

  #evict(socket: Socket, address: string): void {
    const connection = this.#connections.get(socket)
    if (connection) return connection.drop(EVICTED)
    this.#logRefusal(address, EVICTED)
    refuse(socket, EVICTED)
  }

  #endAll(end: (connection: Connection) => void): void {
    for (const [socket, connection] of this.#connections) {
      if (connection) end(connection)
      else socket.destroy()
    }
  }

  #close(): Promise<void> {
    // Also called back, with an error, if the server does not listen.
    this.#closed ??= new Promise((resolve) => void this.#listener.close(() => resolve()))
    return this.#closed
  }
}

const BYTES_PER_MB = 1024 * 1024

const wireForm = (line: string): Buffer => Buffer.from(line.trim().split(/ +/)[1] ?? '', 'base64')

const REFUSALS_LOGGED_MS = 60_000

/** Logs at most one line a minute; `count` is the number of refusals since the last line. */
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
