import { once, setMaxListeners } from 'node:events'
import { createServer } from 'node:net'
import type { AddressInfo, Socket } from 'node:net'
import type { Log } from '../../chat/ports.ts'
import type { Door } from '../../session/ports.ts'
import { serveConnection } from './connection.ts'
import type { HostKey } from './host-key.ts'
import type { SshLimits } from './limits.ts'
import { createQuota, takeAll } from './quota.ts'
import type { Release } from './quota.ts'
import { createStrangers } from './strangers.ts'

export interface SshServerOptions {
  /** At least one; from `loadHostKeys`. */
  readonly hostKeys: readonly HostKey[]
  readonly limits: SshLimits
  /** Lines that a client sees before the login, where its last one from there was not let in: how to make a key. */
  readonly banner: string
  readonly door: Door
  readonly log: Log
}

/** Listens for SSH connections and lets people in through a `Door`. */
export interface SshServer extends AsyncDisposable {
  /** Starts; resolves with the address that was taken (port 0: any). Rejects if it cannot listen there. */
  listen(host: string, port: number): Promise<{ readonly host: string; readonly port: number }>
  /** Says goodbye to every session, aborts every command, and closes all within 2 s. */
  [Symbol.asyncDispose](): Promise<void>
}

/** What the peers get who do not hang up by themselves when the server stops. */
const graceMs = 1_500

/** Makes a server that does not listen yet. */
export function createSshServer(options: SshServerOptions): SshServer {
  const { limits } = options
  const closing = new AbortController()
  // One listener a connection is meant, not forgotten.
  setMaxListeners(0, closing.signal)
  const sockets = new Set<Socket>()
  const admit = createAdmission(limits)
  const strangers = createStrangers()
  const house = {
    ...options,
    closing: closing.signal,
    perPerson: createQuota(limits.connections_per_person),
    execs: createQuota(limits.exec_per_person),
  }
  const listener = createServer({ noDelay: true }, (socket) => {
    socket.on('error', () => socket.destroy())
    const address = peerAddress(socket)
    const release = closing.signal.aborted ? undefined : admit(address)
    if (!release) return turnAway(socket)
    sockets.add(socket)
    socket.once('close', () => {
      sockets.delete(socket)
      release.all()
    })
    const network = networkOf(address)
    const banner = strangers.has(network) ? options.banner : ''
    let loggedIn = false
    socket.once('close', () => loggedIn || strangers.turnedAway(network))
    serveConnection(socket, address, { ...house, banner }, () => {
      loggedIn = true
      strangers.letIn(network)
      release.waiting()
    })
  })
  return {
    async listen(host, port) {
      listener.listen(port, host)
      await once(listener, 'listening')
      listener.on('error', (error) => options.log.error({ err: error }, 'cannot accept a connection'))
      const { address, port: taken } = listener.address() as AddressInfo
      return { host: address, port: taken }
    },
    async [Symbol.asyncDispose]() {
      const closed = listener.listening ? once(listener, 'close') : undefined
      listener.close()
      closing.abort()
      const timer = setTimeout(() => sockets.forEach((socket) => socket.destroy()), graceMs)
      await closed
      clearTimeout(timer)
    },
  }
}

/** Counts connections: undefined when one more would be too many. `waiting` is given back at the login. */
function createAdmission(
  limits: SshLimits,
): (address: string) => Record<'all' | 'waiting', Release> | undefined {
  const total = createQuota(limits.connections)
  const perAddress = createQuota(limits.connections_per_address)
  const waitingTotal = createQuota(limits.unauthenticated)
  const waitingPerAddress = createQuota(limits.unauthenticated_per_address)
  return (address) => {
    const network = networkOf(address)
    const place = takeAll([
      [total, ''],
      [perAddress, network],
    ])
    const waiting =
      place &&
      takeAll([
        [waitingTotal, ''],
        [waitingPerAddress, network],
      ])
    if (!waiting) return (place?.(), undefined)
    return { waiting, all: () => (place(), waiting()) }
  }
}

const peerAddress = (socket: Socket): string => (socket.remoteAddress ?? '').replace(/^::ffff:/, '')

/** One IPv4 address, or the /64 that an IPv6 host can choose its address from. */
export function networkOf(address: string): string {
  if (!address.includes(':')) return address
  const [head = '', tail] = address.split('::')
  const groups = head === '' ? [] : head.split(':')
  const rest = tail ? tail.split(':') : []
  const zeros =
    tail === undefined ? [] : Array<string>(Math.max(0, 8 - groups.length - rest.length)).fill('0')
  return [...groups, ...zeros, ...rest].slice(0, 4).join(':')
}

/** A line before the version string is allowed by RFC 4253, section 4.2; clients show or log it. */
function turnAway(socket: Socket): void {
  socket.end('Too many connections; try again in a while.\r\n')
  socket.setTimeout(1_000, () => socket.destroy())
}
