import { setImmediate as endOfTick } from 'node:timers/promises'
import { Socket } from 'node:net'
import { Client } from 'pg'
import { createDeferred } from '../../lib/deferred.ts'
import { errorMessage } from '../../lib/errors.ts'
import { saidOutright } from '../../lib/postgres-url.ts'
import {
  ANSWER_MS,
  CONNECT_MS,
  type Engine,
  HEARTBEAT_MS,
  inShortTime,
  type Link,
  MAX_UNDER_WAY,
} from './link.ts'
import { MAX_MESSAGE_BYTES, parsedPayload, payloadOf } from './payload.ts'

/**
 * One for all subjects: with many rooms, PostgreSQL would look through many names for each server. On `sshawl`, older servers sent
 * texts that were not sealed; they hear nothing of these.
 */
const CHANNEL = 'sshawl_sealed'

/** A hint is not worth a wait for the disk: it is gone with a crash in any case. */
const LISTEN = `SET synchronous_commit TO off; LISTEN ${CHANNEL}`

/** With its schema: what others made in one of the search_path would run as our role, if it had the name of what is called here. */
const NOTIFY = `SELECT pg_catalog.pg_notify('${CHANNEL}', payload) FROM pg_catalog.unnest($1::pg_catalog.text[]) AS payload`
const BEAT = 'SELECT 1'

/**
 * PostgreSQL's LISTEN and NOTIFY, over a connection of its own. Those who stand between (poolers that share a connection
 * after each transaction) do not carry it.
 */
export const createNotify = (url: string): Engine => ({
  name: 'PostgreSQL',
  maxBytes: MAX_MESSAGE_BYTES,
  async connect(heard) {
    const socket = new Socket()
    const client = new Client({
      connectionString: saidOutright(url),
      stream: () => socket,
      connectionTimeoutMillis: CONNECT_MS,
      query_timeout: ANSWER_MS,
      application_name: 'sshawl bus',
      keepAlive: true,
    })
    // Before it is a link, whoever waits for an answer is told.
    client.on('error', () => undefined)
    client.on('notification', ({ payload = '' }) => {
      const { subject, message } = parsedPayload(payload)
      heard(subject, message)
    })
    try {
      await client.connect()
      await client.query(LISTEN)
    } catch (error) {
      socket.destroy()
      throw error
    }
    return linkOf(client, socket)
  },
})

function linkOf(client: Client, socket: Socket): Link {
  const ended = createDeferred<string>()
  const heartbeat = setInterval(() => void (working ??= work(beat)), HEARTBEAT_MS).unref()
  let waiting: string[] = []
  let waitingBytes = 0
  /** Statements are sent one after the other; undefined while there is none. */
  let working: Promise<void> | undefined

  async function work(job: () => Promise<void>): Promise<void> {
    try {
      await job()
      while (waiting.length > 0) await flush()
    } catch (error) {
      end(errorMessage(error))
    }
    working = undefined
  }

  async function beat(): Promise<void> {
    await client.query(BEAT)
  }

  async function flush(): Promise<void> {
    const payloads = waiting
    waiting = []
    waitingBytes = 0
    await client.query(NOTIFY, [payloads])
  }

  /** A connection that is not answered on any more cannot be ended in order. */
  function end(why: string): void {
    clearInterval(heartbeat)
    waiting = []
    socket.destroy()
    ended.resolve(why)
  }

  client.on('error', (error) => end(errorMessage(error)))
  client.on('end', () => end('the connection was ended'))
  return {
    maxBytes: MAX_MESSAGE_BYTES,
    send(subject, message) {
      const payload = payloadOf(subject, message)
      const bytes = payload?.length ?? 0
      if (payload === undefined || waitingBytes + bytes > MAX_UNDER_WAY) return
      waiting.push(payload)
      waitingBytes += bytes
      // All that is sent in this tick goes in one statement.
      working ??= work(endOfTick)
    },
    want: () => undefined,
    unwant: () => undefined,
    ended: ended.promise,
    async close() {
      clearInterval(heartbeat)
      await inShortTime(endInOrder())
      end('it was closed')
    },
  }

  async function endInOrder(): Promise<void> {
    await working
    await client.end()
  }
}
