import { setImmediate as endOfTick } from 'node:timers/promises'
import { connect, type NatsConnection, type Subscription } from '@nats-io/transport-node'
import type { Log } from '../../chat/ports.ts'
import { errorMessage } from '../../lib/errors.ts'
import { type BusConfig, natsAddress } from './config.ts'
import { CONNECT_MS, type Engine, HEARTBEAT_MS, inShortTime, type Link, MAX_UNDER_WAY } from './link.ts'
import { createLogin } from './nats-login.ts'

/** What NATS takes where nobody changed it, and what is sent to it at most. */
const MAX_MESSAGE_BYTES = 1024 * 1024

/** Between the prefix and the subject. Before there was it, servers sent texts that were not sealed; they hear nothing of these. */
const SEALED = 'sealed'

/** A connection that missed so many heartbeats is given up. */
const MISSED_HEARTBEATS = 2

/** What a message costs besides, roughly, in bytes. */
const HEAD_BYTES = 64

/** NATS, of which only publishing and subscribing is used. */
export function createNats({ url, prefix, credentials }: BusConfig, log: Log): Engine {
  const { servers, isEncrypted, login } = natsAddress(url) ?? { servers: [], isEncrypted: true }
  return {
    name: 'NATS',
    maxBytes: MAX_MESSAGE_BYTES,
    async connect(heard) {
      const connection = await connect({
        servers: [...servers],
        tls: isEncrypted ? {} : undefined,
        authenticator: createLogin({ login, credentials }, log),
        name: 'sshawl',
        timeout: CONNECT_MS,
        pingInterval: HEARTBEAT_MS,
        maxPingOut: MISSED_HEARTBEATS,
        // Another connection is made by whoever keeps the wire: NATS' client would store what is published meanwhile.
        reconnect: false,
      })
      return linkOf(connection, { prefix, heard, log })
    },
  }
}

/** What a link is made for. */
interface LinkParts {
  readonly prefix: string
  readonly heard: (subject: string, message: Buffer) => void
  readonly log: Log
}

function linkOf(connection: NatsConnection, { prefix, heard, log }: LinkParts): Link {
  const watching = watch(connection, log)
  const maxBytes = Math.min(MAX_MESSAGE_BYTES, connection.info?.max_payload ?? MAX_MESSAGE_BYTES)
  const nameOf = (subject: string): string => `${prefix}.${SEALED}.${subject}`
  const wanted = new Map<string, Subscription>()
  /** Bytes of which it is not known that NATS has them. */
  let underWay = 0
  let isAsking = false

  /** NATS answers in order: what was sent before the question has arrived there. */
  async function askForArrival(): Promise<void> {
    if (isAsking) return
    isAsking = true
    while (underWay > 0) {
      await endOfTick()
      const sent = underWay
      await connection.flush()
      underWay -= sent
    }
    isAsking = false
  }

  return {
    maxBytes,
    send(subject, message) {
      const bytes = message.length
      if (bytes > maxBytes || underWay + bytes + HEAD_BYTES > MAX_UNDER_WAY || connection.isClosed()) return
      connection.publish(nameOf(subject), message)
      underWay += bytes + HEAD_BYTES
      askForArrival().catch(() => undefined)
    },
    want(subject) {
      if (connection.isClosed() || wanted.has(subject)) return
      const callback = (error: Error | null, { data }: { readonly data?: Uint8Array }): void => {
        if (!error && data) heard(subject, Buffer.from(data.buffer, data.byteOffset, data.byteLength))
      }
      wanted.set(subject, connection.subscribe(nameOf(subject), { callback }))
    },
    unwant(subject) {
      wanted.get(subject)?.unsubscribe()
      wanted.delete(subject)
    },
    ended: connection.closed().then(async (error) => (await watching) ?? reasonOf(error)),
    async close() {
      await inShortTime(connection.flush())
      await inShortTime(connection.close())
    },
  }
}

/** Resolves with the connection's end; to the reason where that is known here alone. What the user may not do is told once. */
async function watch(connection: NatsConnection, log: Log): Promise<string | undefined> {
  let isTold = false
  for await (const status of connection.status()) {
    if (status.type === 'staleConnection') {
      // The client itself would first wait until everything is sent.
      void connection.close()
      return 'it does not answer'
    }
    if (status.type !== 'error' || isTold) continue
    log.warn({ why: status.error.message }, 'NATS refuses something; look at the permissions of the user')
    isTold = true
  }
  return undefined
}

const reasonOf = (error: unknown): string => (error ? errorMessage(error) : 'the connection was ended')
