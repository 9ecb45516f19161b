import { setMaxListeners } from 'node:events'
import type { Socket } from 'node:net'
import type { Connection } from 'ssh2'
import type { Person } from '../../chat/person.ts'
import type { Log } from '../../chat/ports.ts'
import type { Door } from '../../session/ports.ts'
import { serveSession } from './channels.ts'
import type { SshLimits } from './limits.ts'
import { createQuota } from './quota.ts'
import type { Quota, Release } from './quota.ts'

/** What the connections of all people share. */
export interface PersonHouse {
  readonly limits: SshLimits
  readonly door: Door
  readonly log: Log
  /** Aborted when the server stops. */
  readonly closing: AbortSignal
  /** Connections, by person. */
  readonly perPerson: Quota
  /** Commands, by person. */
  readonly execs: Quota
}

/** How long a client may take to hang up by itself after its channels were closed. */
const lingerMs = 500

/** Serves the session channels of one person's connection, and lets them end in peace when the server stops. */
export function serveChannels(
  client: Connection,
  socket: Socket,
  person: Person,
  house: PersonHouse,
  drop: (why: string) => void,
): void {
  const { limits, closing } = house
  const gone = new AbortController()
  const stopping = new AbortController()
  const place = house.perPerson.take(person.id)
  const channels = createQuota(limits.channels_per_connection)
  setMaxListeners(0, gone.signal, stopping.signal)
  const jobs = new Set<Promise<void>>()
  const hangUp = (): void => {
    stopping.abort()
    void Promise.allSettled(jobs).then(() => leave(client, socket))
  }
  closing.addEventListener('abort', hangUp, { once: true })
  socket.once('close', () => {
    closing.removeEventListener('abort', hangUp)
    place?.()
    gone.abort()
  })
  client.on('session', (accept, reject) => {
    const release: Release | undefined = stopping.signal.aborted ? undefined : channels.take('')
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
      closing: stopping.signal,
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
