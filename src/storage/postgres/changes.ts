import { Client } from 'pg'
import { StorageError } from '../../words/errors.ts'
import type { Changes, ServerId, Topic } from '../../cluster/index.ts'
import type { Log } from '../../base/environment.ts'
import { createSerial } from '../../base/jobs/serial.ts'
import { withExplicitSslMode } from '../../base/addresses.ts'
import { toStorageError } from './errors.ts'
import { fromStored } from './values.ts'

/** The database's triggers send notifications of `[SERVER, TOPIC, KEY]`. */
const LISTEN = 'LISTEN sshawl_changes'

const BEAT_MS = 1_000
/** The maximum age of the last beat's answer, in ms: a beat's interval and its duration. */
const FRESH_MS = 1_500
const READ_ALL_MS = 30_000
/** The timeout of an answer, in ms: a cut network closes no connection. */
const ANSWER_MS = 10_000

/** The topics that decide who may do what. */
const DECISIONS: ReadonlySet<Topic> = new Set(['broadcasts', 'sanctions', 'rooms', 'people'])

type Keys = ReadonlySet<string> | 'all'
type ReadChanges = (keys: readonly never[] | 'all') => Promise<void>

export interface ChangeListenerOptions {
  /** The URL of the database or of a pooler that keeps sessions: LISTEN belongs to a connection. */
  readonly url: string
  readonly self: ServerId
  readonly log: Log
}

/**
 * Receives notifications of changed rows over a connection of its own. PostgreSQL answers a statement after
 * all notifications of earlier commits, so after one round trip this server has received them all.
 */
export class ChangeListener implements Changes {
  readonly #options: ChangeListenerOptions
  readonly #readers: TopicReader[] = []
  readonly #serially = createSerial()
  #client: Client | undefined
  #timer: NodeJS.Timeout | undefined
  /** The monotonic time until which all decisions are known here. */
  #knownAt = -Infinity
  #allReadAt = -Infinity
  #nextBeat: Promise<number> | undefined
  #isLossLogged = false

  constructor(options: ChangeListenerOptions) {
    this.#options = options
  }

  on(topic: Topic, read: ReadChanges): void {
    const reader = new TopicReader(topic, read, this.#options.log)
    this.#readers.push(reader)
    if (this.#timer) reader.add('all')
  }

  async begin(): Promise<void> {
    await this.#catchUp()
    this.#timer = setInterval(() => this.#tick(), BEAT_MS).unref()
    await this.#caughtUp(this.#readers)
  }

  async readAll(): Promise<void> {
    this.#addAll()
    await this.#caughtUp(this.#readers)
  }

  upToDate(): Promise<void> | undefined {
    return performance.now() - this.#knownAt < FRESH_MS ? undefined : this.#catchUp()
  }

  async #catchUp(): Promise<void> {
    const heardAt = await this.#beat()
    await this.#caughtUp(this.#readers.filter(({ topic }) => DECISIONS.has(topic)))
    this.#knownAt = Math.max(this.#knownAt, heardAt)
  }

  async #caughtUp(readers: readonly TopicReader[]): Promise<void> {
    await Promise.all(readers.map((reader) => reader.caughtUp()))
  }

  #addAll(): void {
    this.#allReadAt = performance.now()
    for (const reader of this.#readers) reader.add('all')
  }

  #tick(): void {
    // `ask` and the readers log their failures.
    this.#catchUp().catch(() => undefined)
    if (performance.now() - this.#allReadAt > READ_ALL_MS) this.#addAll()
    for (const reader of this.#readers) if (reader.hasFailed) reader.start()
  }

  /** Sends a statement. Resolves to its start time: all changes committed before it are known then. */
  #beat(): Promise<number> {
    this.#nextBeat ??= this.#serially(() => {
      this.#nextBeat = undefined
      return this.#ask()
    })
    return this.#nextBeat
  }

  async #ask(): Promise<number> {
    const [began, known] = [performance.now(), this.#client]
    try {
      if (known) await known.query('SELECT 1')
      else await this.#connect()
      this.#isLossLogged = false
      return began
    } catch (cause) {
      this.#drop(known)
      // The process may have lost its connection while suspended: a new one shows if the database is there.
      if (known) return await this.#ask()
      const error = toStorageError(cause, { reading: true })
      if (!this.#isLossLogged)
        this.#options.log.warn({ error, reason: error.reason }, 'could not receive changes of other servers')
      this.#isLossLogged = true
      throw error
    }
  }

  async #connect(): Promise<void> {
    const client = new Client({
      connectionString: withExplicitSslMode(this.#options.url),
      connectionTimeoutMillis: ANSWER_MS,
      query_timeout: ANSWER_MS,
      application_name: 'sshawl changes',
      keepAlive: true,
    })
    client.on('notification', ({ payload = '' }) => this.#hear(payload))
    client.on('error', () => this.#lost(client))
    client.on('end', () => this.#lost(client))
    try {
      await client.connect()
      await client.query(LISTEN)
    } catch (error) {
      client.connection.stream.destroy()
      throw error
    }
    this.#client = client
    this.#addAll()
  }

  #hear(payload: string): void {
    const [server, topic, key] = JSON.parse(payload) as [string, Topic, string]
    if (server === this.#options.self) return
    for (const reader of this.#readers) if (reader.topic === topic) reader.add(new Set([fromStored(key)]))
  }

  #lost(client: Client): void {
    if (this.#client !== client) return
    this.#drop(client)
    if (this.#timer) this.#catchUp().catch(() => undefined)
  }

  #drop(client: Client | undefined): void {
    if (this.#client === client) this.#client = undefined
    client?.connection.stream.destroy()
  }

  async [Symbol.asyncDispose](): Promise<void> {
    clearInterval(this.#timer)
    this.#timer = undefined
    await this.#serially(async () => {
      const client = this.#client
      this.#client = undefined
      // A connection that has ended already may reject.
      await client?.end().catch(() => undefined)
    })
    await Promise.allSettled(this.#readers.map(async ({ running }) => await running))
  }
}

/** Reads the changes of one topic, so that a slow or failing topic delays no other. */
class TopicReader {
  readonly topic: Topic
  running: Promise<void> | undefined
  hasFailed = false
  readonly #read: ReadChanges
  readonly #log: Log
  #changed: Keys = new Set()

  constructor(topic: Topic, read: ReadChanges, log: Log) {
    this.topic = topic
    this.#read = read
    this.#log = log
  }

  add(keys: Keys): void {
    this.#changed = union(this.#changed, keys)
    this.start()
  }

  start(): void {
    if (this.running) return
    this.running = Promise.resolve().then(() => this.#readChanged())
    // `readChanged` logs it, and `caughtUp` rejects with it.
    this.running.catch(() => undefined)
  }

  /** Resolves when all added keys are read. Rejects with `StorageError` if they cannot be read now. */
  async caughtUp(): Promise<void> {
    if (this.hasFailed) this.start()
    await this.running
  }

  async #readChanged(): Promise<void> {
    while (this.#changed === 'all' || this.#changed.size > 0) {
      const keys = this.#changed
      this.#changed = new Set()
      try {
        await this.#read(keys === 'all' ? keys : ([...keys] as never[]))
        this.hasFailed = false
      } catch (error) {
        const log = this.#log
        const { topic } = this
        if (!(error instanceof StorageError)) {
          log.error({ error, topic }, 'could not apply a change of another server')
          continue
        }
        this.#changed = union(this.#changed, keys)
        this.hasFailed = true
        this.running = undefined
        log.warn({ error, reason: error.reason, topic }, 'could not read what other servers changed')
        throw error
      }
    }
    // No await since the loop's check, so that keys added later start another run.
    this.running = undefined
  }
}

const union = (some: Keys, more: Keys): Keys =>
  some === 'all' || more === 'all' ? 'all' : new Set([...some, ...more])
