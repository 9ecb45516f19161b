import type { Socket } from 'node:net'
import ssh2 from 'ssh2'
import type { Connection } from 'ssh2'
import type { Person } from '../../chat/person.ts'
import type { Log } from '../../chat/ports.ts'
import type { Door } from '../../session/ports.ts'
import { algorithms } from './algorithms.ts'
import { serveSession } from './channels.ts'
import type { HostKey } from './host-key.ts'
import type { SshLimits } from './limits.ts'
import { answerLogin } from './login.ts'
import { createQuota } from './quota.ts'
import type { Quota, Release } from './quota.ts'
import { guardWindow } from './ssh2-internals.ts'

/** What all connections share. */
export interface ConnectionHouse {
  readonly hostKeys: readonly HostKey[]
  readonly limits: SshLimits
  /** Shown before the login. */
  readonly banner: string
  readonly door: Door
  readonly log: Log
  /** Aborted when the server stops. */
  readonly closing: AbortSignal
  readonly perPerson: Quota
  readonly execs: Quota
}

/** A dead peer is noticed after 45 s: two unanswered keepalives are forgiven, the third is not. */
const keepalive = { keepaliveInterval: 15_000, keepaliveCountMax: 2 }
/** More than this unsent, and we stop to read: who makes us answer must also listen. */
const unsentBytes = 1024 * 1024
/** How long a client may take to hang up by itself after its channels were closed. */
const lingerMs = 500

/** Speaks SSH on one socket until it is closed. `onLogin` is called when somebody is let in. */
export function serveConnection(
  socket: Socket,
  address: string,
  house: ConnectionHouse,
  onLogin: () => void,
): void {
  const { hostKeys, banner, log } = house
  const drop = (why: string): void => {
    if (!socket.destroyed) log.info({ address, why }, 'connection dropped')
    socket.destroy()
  }
  const letIn = limitWaiting(socket, house, drop)
  // One ssh2 server for each socket, so that we know which socket a client is on.
  const server = new ssh2.Server({
    hostKeys: hostKeys.map(({ pem }) => pem),
    algorithms,
    banner,
    ident: 'sshawl',
    ...keepalive,
  })
  server.on('connection', (client) =>
    welcome(client, socket, address, house, drop, () => {
      letIn()
      onLogin()
    }),
  )
  server.on('error', (error: Error) => drop(error.message))
  server.injectSocket(socket)
  socket.on('data', () => socket.writableLength > unsentBytes && pauseUntilDrained(socket))
}

/** Until the function returned is called, the connection ends at the login timeout and at once when the server stops. */
function limitWaiting(socket: Socket, house: ConnectionHouse, drop: (why: string) => void): () => void {
  const deadline = setTimeout(() => drop('no login in time'), house.limits.login_timeout_s * 1000)
  const stop = (): void => drop('server stops')
  house.closing.addEventListener('abort', stop, { once: true })
  const letIn = (): void => {
    clearTimeout(deadline)
    house.closing.removeEventListener('abort', stop)
  }
  socket.once('close', letIn)
  return letIn
}

function welcome(
  client: Connection,
  socket: Socket,
  address: string,
  house: ConnectionHouse,
  drop: (why: string) => void,
  onLogin: () => void,
): void {
  // After an error ssh2's object is unusable and would throw from its keepalive timer.
  client.on('error', (error) => drop(error.message))
  guardWindow(client, () => drop('sent more than the channel window'))
  answerLogin(client, {
    door: house.door,
    address,
    keysOffered: house.limits.keys_offered,
    log: house.log,
    isGone: () => socket.destroyed,
    onGiveUp: () => drop('too many login attempts'),
    onPerson(person) {
      onLogin()
      serveChannels(client, socket, person, house, drop)
    },
  })
}

function serveChannels(
  client: Connection,
  socket: Socket,
  person: Person,
  house: ConnectionHouse,
  drop: (why: string) => void,
): void {
  const { limits, closing } = house
  const gone = new AbortController()
  const place = house.perPerson.take(person.id)
  const channels = createQuota(limits.channels_per_connection)
  const jobs = new Set<Promise<void>>()
  const hangUp = (): void => void Promise.allSettled(jobs).then(() => leave(client, socket))
  closing.addEventListener('abort', hangUp, { once: true })
  socket.once('close', () => {
    closing.removeEventListener('abort', hangUp)
    place?.()
    gone.abort()
  })
  client.on('session', (accept, reject) => {
    const release: Release | undefined = closing.aborted ? undefined : channels.take('')
    if (!release) return reject()
    const session = accept()
    session.on('close', release)
    serveSession(session, {
      person,
      door: house.door,
      log: house.log,
      socket,
      queueBytes: limits.queue_bytes,
      stallMs: limits.stall_s * 1000,
      gone: gone.signal,
      closing,
      ...(place ? {} : { refusal: tooManyConnections(limits.connections_per_person) }),
      takeExec: () => house.execs.take(person.id),
      drop,
      track(job) {
        const done = job.catch((error: unknown) => drop(String(error))).finally(() => jobs.delete(done))
        jobs.add(done)
      },
    })
  })
}

const tooManyConnections = (limit: number): string =>
  `You have ${limit} connections already, which is all that one person may have; close one of them.`

/** A client hangs up once its last channel is closed; told to disconnect at once, it would take that for an error. */
function leave(client: Connection, socket: Socket): void {
  const timer = setTimeout(() => client.end(), lingerMs)
  socket.once('close', () => clearTimeout(timer))
}

function pauseUntilDrained(socket: Socket): void {
  socket.pause()
  socket.once('drain', () => socket.resume())
}
