import type { Connection } from 'ssh2'
import { APOLOGY } from '../../chat/errors.ts'
import { withLogin, type Person } from '../../chat/people/person.ts'
import type { OfferedKey } from '../../session/ports.ts'
import { createTokenBucket } from '../../lib/token-bucket.ts'
import { LINGER_MS, type Carrier } from './carrier.ts'
import { openChannel, type ChannelContext } from './channel.ts'
import type { ConnectionContext } from './connection-context.ts'
import { serveExec } from './exec.ts'
import type { Identified } from './login.ts'
import { networkOf } from '../../lib/network-pace.ts'
import { Quota, takeAll } from '../../lib/quota.ts'
import { serveShell } from './terminal.ts'

/** Who is on a connection. */
export interface Visitor extends Identified {
  readonly offered: OfferedKey
  readonly address: string
}

/** A connection after its login. */
export interface Served {
  /** The connection is closed. */
  close(): void
  /** Ends its sessions, opens no channel any more, and hangs up once its commands have ended. */
  drain(): void
  /** Hangs up once all channels have ended, which are told to. */
  stop(): void
}

/** Serves the channels of one person's connection. */
export function servePerson(
  client: Connection,
  visitor: Visitor,
  carrier: Carrier,
  context: ConnectionContext,
): Served {
  const { limits } = context
  const { person } = visitor
  const jobs = new Set<Promise<void>>()
  const own = channelContext(visitor, carrier, context)
  const openings = createOpenings(limits)
  const idle = createIdleTimer(limits.idle_connection_s, () => carrier.drop('nothing ran on it'))
  /** Channels on which a shell or a command was started: one without either keeps no connection. */
  let programs = 0
  let isStopping = false

  function run(job: Promise<void>): void {
    const failed = (error: unknown): void => {
      context.log.error({ person: person.name, error }, 'a channel failed')
      carrier.drop(APOLOGY)
    }
    const done = job.catch(failed).finally(() => {
      jobs.delete(done)
      context.jobs.delete(done)
    })
    jobs.add(done)
    context.jobs.add(done)
  }

  client.on('session', (accept, reject) => {
    const close = isStopping ? undefined : openings.take()
    if (!close) return reject()
    openChannel(client, accept(), {
      carrier,
      queue: own.queue,
      onStart(channel, command) {
        programs++
        idle.stop()
        run(command === undefined ? serveShell(channel, own) : serveExec(command, channel, own))
      },
      onClose(hadProgram) {
        close()
        if (hadProgram && --programs === 0) idle.start()
      },
    })
  })
  idle.start()

  function hangUpLater(): void {
    isStopping = true
    void Promise.allSettled(jobs).then(() => hangUp(client, carrier))
  }

  const forget = context.handler.connected?.(own.person, hangUpLater)
  return {
    close() {
      forget?.()
      for (const channel of [...carrier.channels]) channel.close()
      idle.stop()
      visitor.uncount?.()
    },
    drain() {
      for (const channel of [...carrier.channels]) channel.drain()
      hangUpLater()
    },
    stop() {
      for (const channel of [...carrier.channels]) channel.stop()
      hangUpLater()
    },
  }
}

/** Counts the connection together with those through other servers. Never rejects. */
export async function countIn(visitor: Visitor, { handler, limits }: ConnectionContext): Promise<Identified> {
  const { person, refusal } = visitor
  if (refusal !== undefined || !handler.countIn) return { person, ...(refusal !== undefined && { refusal }) }
  const limit = limits.connections_per_person
  const uncount = await handler.countIn(loggedIn(visitor), limit)
  return uncount ? { person, uncount } : { person, refusal: tooManyConnections(limit) }
}

function loggedIn({ person, offered, address }: Visitor): Person {
  const { fingerprint: key, certifiedUntil } = offered
  const network = networkOf(address)
  return withLogin(person, { key, network, ...(certifiedUntil === undefined ? {} : { certifiedUntil }) })
}

/**
 * Channels opened in one go, and in a second, for each line that somebody may enter: a session says more than
 * one line.
 */
const CHANNELS_PER_LINE = 4

/**
 * Limits how many channels a connection has at once, and how often one is opened: each session is told to a
 * whole room.
 */
function createOpenings({ channels_per_connection, rate_burst, rate_per_s }: ConnectionContext['limits']) {
  const atOnce = new Quota(() => channels_per_connection)
  const rate = { burst: rate_burst * CHANNELS_PER_LINE, everyMs: 1_000 / (rate_per_s * CHANNELS_PER_LINE) }
  const mayOpen = createTokenBucket(rate, () => performance.now())
  return { take: () => (mayOpen() ? atOnce.take('') : undefined) }
}

/** Calls `onIdle` once it ran for so long without being stopped. */
function createIdleTimer(seconds: number, onIdle: () => void) {
  let timer: NodeJS.Timeout | undefined
  const stop = (): void => clearTimeout(timer)
  return {
    stop,
    start() {
      stop()
      timer = setTimeout(onIdle, seconds * 1_000)
    },
  }
}

function channelContext(visitor: Visitor, { account }: Carrier, context: ConnectionContext): ChannelContext {
  const { limits, handler, log, quotas, queues } = context
  const { person, offered, address, refusal } = visitor
  const network = networkOf(address)
  /** Each server gives its share. */
  const share = (kind: 'person' | 'key' | 'network', id: string, limit: number): number =>
    Math.max(1, Math.floor(limit / (handler.servers?.(kind, id) ?? 1)))
  const { fingerprint: key } = offered
  return {
    person: loggedIn(visitor),
    handler,
    log,
    account,
    queue: { bytes: limits.queue_bytes, stallMs: limits.stall_s * 1_000, all: queues },
    refusal,
    takeExec: () =>
      takeAll(
        [quotas.commands, person.id, share('person', person.id, limits.exec_per_person)],
        [quotas.commands, key, share('key', key, limits.exec_per_person)],
        [quotas.commandsOfNetwork, network, share('network', network, limits.exec_per_address)],
      ),
  }
}

export const tooManyConnections = (limit: number): string =>
  `You have ${limit} connections already, under this name or with this key, and may not have more; close one of them.`

/**
 * A client hangs up once its last channel is closed; told to disconnect at once, it would take that for an
 * error.
 */
function hangUp(client: Connection, { socket }: Carrier): void {
  const timer = setTimeout(() => client.end(), LINGER_MS)
  socket.once('close', () => clearTimeout(timer))
}
