import { setMaxListeners } from 'node:events'
import type { Socket } from 'node:net'
import ssh2, { type Connection } from 'ssh2'
import type { Person } from '../../chat/person.ts'
import type { Log } from '../../chat/ports.ts'
import type { ClientHandler } from '../../session/ports.ts'
import { ALGORITHMS } from './algorithms.ts'
import { applyBackPressure } from './back-pressure.ts'
import { openChannel, type ChannelContext } from './channel.ts'
import { serveExec } from './exec.ts'
import type { HostKey } from './host-key.ts'
import type { SshLimits } from './limits.ts'
import { answerLogin, limitWaiting } from './login.ts'
import { createQuota, type Quota } from './quota.ts'
import { guardWindow } from './ssh2-internals.ts'
import { serveShell } from './terminal.ts'

/** What all connections share. */
export interface ConnectionContext {
  readonly hostKeys: readonly HostKey[]
  /** Shown before the login; empty for none. */
  readonly banner: string
  readonly limits: SshLimits
  readonly handler: ClientHandler
  readonly log: Log
  /** Aborted when the server stops. */
  readonly stopping: AbortSignal
  /** Connections at once, by person. */
  readonly connectionsOf: Quota
  /** Commands at once, by person. */
  readonly execsOf: Quota
}

/** A dead peer is noticed after 45 s: two unanswered keepalives are forgiven, the third is not. */
const KEEPALIVE = { keepaliveInterval: 15_000, keepaliveCountMax: 2 }

/** Speaks SSH on one socket until it is closed. `onLogin` is called when somebody is let in. */
export function serveConnection(
  socket: Socket,
  address: string,
  context: ConnectionContext,
  onLogin: () => void,
): void {
  const { hostKeys, banner, handler, log, limits } = context
  const drop = (why: string): void => {
    if (!socket.destroyed) log.info({ address, why }, 'connection dropped')
    socket.destroy()
  }
  const endWaiting = limitWaiting(socket, context, drop)
  // One ssh2 server for each socket, so that we know which socket a client is on.
  const server = new ssh2.Server({
    hostKeys: hostKeys.map(({ pem }) => pem),
    algorithms: ALGORITHMS,
    ...(banner === '' ? {} : { banner: banner.trimEnd() }),
    ident: 'sshawl',
    ...KEEPALIVE,
  })
  server.on('error', (error: Error) => drop(error.message))
  server.on('connection', (client) => {
    // After an error ssh2's object is unusable and would throw from its keepalive timer.
    client.on('error', (error) => drop(error.message))
    guardWindow(client, () => drop('sent more than the channel window'))
    answerLogin(client, {
      handler,
      address,
      keysOffered: limits.keys_offered,
      log,
      isGone: () => socket.destroyed,
      onGiveUp: () => drop('too many login attempts'),
      onPerson(person) {
        endWaiting()
        onLogin()
        servePerson(client, socket, person, context, drop)
      },
    })
  })
  server.injectSocket(socket)
  applyBackPressure(socket)
}

/** Serves the channels of one person's connection. When the server stops, it hangs up once all of them have ended. */
function servePerson(
  client: Connection,
  socket: Socket,
  person: Person,
  context: ConnectionContext,
  drop: (why: string) => void,
): void {
  const closed = new AbortController()
  const ending = new AbortController()
  setMaxListeners(0, closed.signal, ending.signal)
  const jobs = new Set<Promise<void>>()
  const run = (job: Promise<void>): void => {
    const done = job.catch((error: unknown) => drop(String(error))).finally(() => jobs.delete(done))
    jobs.add(done)
  }
  const end = (): void => {
    ending.abort()
    void Promise.allSettled(jobs).then(() => hangUp(client, socket))
  }
  const release = context.connectionsOf.take(person.id)
  context.stopping.addEventListener('abort', end, { once: true })
  socket.once('close', () => {
    context.stopping.removeEventListener('abort', end)
    release?.()
    closed.abort()
  })
  const own = channelContext(person, context, ending.signal, release !== undefined)
  const channels = createQuota(() => context.limits.channels_per_connection)
  client.on('session', (accept, reject) => {
    const releaseChannel = ending.signal.aborted ? undefined : channels.take('')
    if (!releaseChannel) return reject()
    const session = accept()
    session.on('close', releaseChannel)
    openChannel(session, { socket, closed: closed.signal, drop }, (channel, command) =>
      run(command === undefined ? serveShell(channel, own) : serveExec(command, channel, own)),
    )
  })
}

const channelContext = (
  person: Person,
  { limits, handler, log, execsOf }: ConnectionContext,
  stopping: AbortSignal,
  isAllowed: boolean,
): ChannelContext => ({
  person,
  handler,
  log,
  queue: { bytes: limits.queue_bytes, stallMs: limits.stall_s * 1000 },
  stopping,
  refusal: isAllowed ? undefined : tooManyConnections(limits.connections_per_person),
  takeExec: () => execsOf.take(person.id),
})

const tooManyConnections = (limit: number): string =>
  `You have ${limit} connections already, which is all that one person may have; close one of them.`

/** How long a client may take to hang up by itself after its channels were closed. */
const LINGER_MS = 500

/** A client hangs up once its last channel is closed; told to disconnect at once, it would take that for an error. */
function hangUp(client: Connection, socket: Socket): void {
  const timer = setTimeout(() => client.end(), LINGER_MS)
  socket.once('close', () => clearTimeout(timer))
}
