import { setImmediate as endOfTick } from 'node:timers/promises'
import { Client } from 'pg'
import { createDeferred, settledWithin } from '../../base/jobs/waiting.ts'
import { errorMessage } from '../../base/errors.ts'
import { withExplicitSslMode } from '../../base/addresses.ts'
import { ANSWER_MS, type Connection, type Engine, HEARTBEAT_MS, MAX_UNDER_WAY } from './engine.ts'

/** One channel for all rooms: PostgreSQL searches all of a server's channel names for each message. */
const CHANNEL = 'sshawl_hints'

/** Commits do not wait for the disk, because a crash loses hints anyway. */
const LISTEN = `SET synchronous_commit TO off; LISTEN ${CHANNEL}`
/** Names schemas, so that no function from another schema in the search_path runs. */
const NOTIFY = `SELECT pg_catalog.pg_notify('${CHANNEL}', payload)
  FROM pg_catalog.unnest($1::pg_catalog.text[]) AS payload`

/**
 * A payload has less than 8,000 bytes (https://www.postgresql.org/docs/current/sql-notify.html): a subject, a
 * number, because PostgreSQL merges equal payloads, and base64 text, because PostgreSQL refuses U+0000.
 */
const MAX_PAYLOAD_BYTES = 7_999
const MAX_HEAD_BYTES = 128
const MAX_BYTES = Math.floor((MAX_PAYLOAD_BYTES - MAX_HEAD_BYTES) / 4) * 3

/** Uses LISTEN and NOTIFY on its own connection. A pooler must pool sessions. */
export const createNotify = (url: string): Engine => ({
  name: 'PostgreSQL',
  maxBytes: MAX_BYTES,
  async connect(received) {
    const client = new Client({
      connectionString: withExplicitSslMode(url),
      connectionTimeoutMillis: ANSWER_MS,
      query_timeout: ANSWER_MS,
      application_name: 'sshawl bus',
      keepAlive: true,
    })
    const connection = new NotifyConnection(client)
    client.on('notification', ({ payload = '' }) => {
      const [subject = '', , text = ''] = payload.split(' ')
      received(subject, Buffer.from(text, 'base64').toString())
    })
    try {
      await client.connect()
      await client.query(LISTEN)
      return connection
    } catch (error) {
      connection.end(errorMessage(error))
      throw error
    }
  },
})

class NotifyConnection implements Connection {
  readonly maxBytes = MAX_BYTES
  readonly ended: Promise<string>
  readonly #client: Client
  readonly #heartbeat: NodeJS.Timeout
  readonly #over = createDeferred<string>()
  #waiting: string[] = []
  #waitingBytes = 0
  #sent = 0
  #running: Promise<void> | undefined

  constructor(client: Client) {
    this.#client = client
    this.ended = this.#over.promise
    this.#heartbeat = setInterval(() => void (this.#running ??= this.#beat()), HEARTBEAT_MS).unref()
    client.on('error', (error) => this.end(errorMessage(error)))
    client.on('end', () => this.end('the connection was ended'))
  }

  send(subject: string, text: string): void {
    const message = Buffer.from(text)
    const head = `${subject} ${this.#sent++} `
    if (message.length > MAX_BYTES || head.length > MAX_HEAD_BYTES) return
    const payload = head + message.toString('base64')
    if (this.#waitingBytes + payload.length > MAX_UNDER_WAY) return
    this.#waiting.push(payload)
    this.#waitingBytes += payload.length
    this.#running ??= this.#flush()
  }

  subscribe(): void {}
  unsubscribe(): void {}

  #beat(): Promise<void> {
    return this.#run(async () => void (await this.#client.query('SELECT 1')))
  }

  /** Sends the texts of one tick in one statement. */
  #flush(): Promise<void> {
    return this.#run(endOfTick)
  }

  async #run(first: () => Promise<void>): Promise<void> {
    try {
      await first()
      while (this.#waiting.length > 0) {
        const payloads = this.#waiting
        this.#waiting = []
        this.#waitingBytes = 0
        await this.#client.query(NOTIFY, [payloads])
      }
    } catch (error) {
      this.end(errorMessage(error))
    }
    this.#running = undefined
  }

  /** Ends without a handshake, because the server may not answer. */
  end(why: string): void {
    clearInterval(this.#heartbeat)
    this.#waiting = []
    this.#over.resolve(why)
    this.#client.connection.stream.destroy()
  }

  async close(): Promise<void> {
    clearInterval(this.#heartbeat)
    await settledWithin(1_000, [(this.#running ?? Promise.resolve()).then(() => this.#client.end())])
    this.end('it was closed')
  }
}
