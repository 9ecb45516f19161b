import { Client } from 'pg'
import { StorageError } from '../../../chat/errors.ts'
import type { Log } from '../../../chat/ports.ts'
import type { Changes, ServerId, Topic } from '../../../cluster/stores.ts'
import { createSerial } from '../../../lib/jobs/serial.ts'
import { withExplicitSslMode } from '../../../lib/addresses.ts'
import { toStorageError } from './errors.ts'
import { fromStored } from './values.ts'

/** Triggers of the database notify it of `[SERVER, TOPIC, KEY]`. */
const LISTEN = 'LISTEN sshawl_changes'

const BEAT_MS = 1_000
/** How old the last answer may be, in ms: a beat a second, and the time that it takes. */
const FRESH_MS = 1_500
const READ_ALL_MS = 30_000
/** A cut network tells nobody, so answers are waited for so long. */
const ANSWER_MS = 10_000

/** The topics that decide who may do what. */
const DECISIONS: ReadonlySet<Topic> = new Set(['broadcasts', 'sanctions', 'rooms', 'people'])

type Keys = ReadonlySet<string> | 'all'
type Read = (keys: readonly never[] | 'all') => Promise<void>

export interface ChangeListenerOptions {
  /** Of the database itself or a pooler that keeps sessions: LISTEN belongs to a connection. */
  readonly url: string
  readonly self: ServerId
  readonly log: Log
}

/**
 * Hears of changed rows over a connection of its own. The answer to a statement comes after all notifications
 * of what was committed before it, so after one round trip this server has heard everything.
 */
export class ChangeListener implements Changes {
  private readonly options: ChangeListenerOptions
  private readonly readers: TopicReader[] = []
  private readonly serially = createSerial()
  private client: Client | undefined
  private timer: NodeJS.Timeout | undefined
  /** What was decided until then is known here, by a clock that never goes back. */
  private knownAt = -Infinity
  private allReadAt = -Infinity
  private nextBeat: Promise<number> | undefined
  private isLossLogged = false

  constructor(options: ChangeListenerOptions) {
    this.options = options
  }

  on(topic: Topic, read: Read): void {
    const reader = new TopicReader(topic, read, this.options.log)
    this.readers.push(reader)
    if (this.timer) reader.add('all')
  }

  async begin(): Promise<void> {
    await this.catchUp()
    this.timer = setInterval(() => this.tick(), BEAT_MS).unref()
    await this.caughtUp(this.readers)
  }

  async readAll(): Promise<void> {
    this.addAll()
    await this.caughtUp(this.readers)
  }

  upToDate(): Promise<void> | undefined {
    return performance.now() - this.knownAt < FRESH_MS ? undefined : this.catchUp()
  }

  private async catchUp(): Promise<void> {
    const heardAt = await this.beat()
    await this.caughtUp(this.readers.filter(({ topic }) => DECISIONS.has(topic)))
    this.knownAt = Math.max(this.knownAt, heardAt)
  }

  private async caughtUp(readers: readonly TopicReader[]): Promise<void> {
    await Promise.all(readers.map((reader) => reader.caughtUp()))
  }

  private addAll(): void {
    this.allReadAt = performance.now()
    for (const reader of this.readers) reader.add('all')
  }

  private tick(): void {
    // What fails is logged where it does.
    this.catchUp().catch(() => undefined)
    if (performance.now() - this.allReadAt > READ_ALL_MS) this.addAll()
    for (const reader of this.readers) if (reader.hasFailed) reader.start()
  }

  /** Resolves to a time after the call: what was committed until then is heard. */
  private beat(): Promise<number> {
    this.nextBeat ??= this.serially(() => {
      this.nextBeat = undefined
      return this.ask()
    })
    return this.nextBeat
  }

  private async ask(): Promise<number> {
    const [began, known] = [performance.now(), this.client]
    try {
      if (known) await known.query('SELECT 1')
      else await this.connect()
      this.isLossLogged = false
      return began
    } catch (cause) {
      this.drop(known)
      // This server may have stood still while its connection ended: another one says how the database is.
      if (known) return await this.ask()
      const error = toStorageError(cause, { reading: true })
      if (!this.isLossLogged)
        this.options.log.warn(
          { error, reason: error.reason },
          'changes of other servers are not heard just now',
        )
      this.isLossLogged = true
      throw error
    }
  }

  private async connect(): Promise<void> {
    const client = new Client({
      connectionString: withExplicitSslMode(this.options.url),
      connectionTimeoutMillis: ANSWER_MS,
      query_timeout: ANSWER_MS,
      application_name: 'sshawl changes',
      keepAlive: true,
    })
    client.on('notification', ({ payload = '' }) => this.hear(payload))
    client.on('error', () => this.lost(client))
    client.on('end', () => this.lost(client))
    try {
      await client.connect()
      await client.query(LISTEN)
    } catch (error) {
      client.connection.stream.destroy()
      throw error
    }
    this.client = client
    this.addAll()
  }

  private hear(payload: string): void {
    const [server, topic, key] = JSON.parse(payload) as [string, Topic, string]
    if (server === this.options.self) return
    for (const reader of this.readers) if (reader.topic === topic) reader.add(new Set([fromStored(key)]))
  }

  private lost(client: Client): void {
    if (this.client !== client) return
    this.drop(client)
    if (this.timer) this.catchUp().catch(() => undefined)
  }

  private drop(client: Client | undefined): void {
    if (this.client === client) this.client = undefined
    client?.connection.stream.destroy()
  }

  async [Symbol.asyncDispose](): Promise<void> {
    clearInterval(this.timer)
    this.timer = undefined
    await this.serially(async () => {
      const { client } = this
      this.client = undefined
      // One that ended already has nothing to give back.
      await client?.end().catch(() => undefined)
    })
    await Promise.allSettled(this.readers.map(async ({ running }) => await running))
  }
}

/** Reads what changed of one topic, so that one that fails or takes long keeps nothing from the others. */
class TopicReader {
  readonly topic: Topic
  running: Promise<void> | undefined
  hasFailed = false
  private readonly read: Read
  private readonly log: Log
  private changed: Keys = new Set()

  constructor(topic: Topic, read: Read, log: Log) {
    this.topic = topic
    this.read = read
    this.log = log
  }

  add(keys: Keys): void {
    this.changed = union(this.changed, keys)
    this.start()
  }

  start(): void {
    if (this.running) return
    this.running = Promise.resolve().then(() => this.readChanged())
    // It is logged, and those who wait for it hear of it.
    this.running.catch(() => undefined)
  }

  /** Resolves when all that was added is read. Rejects with `StorageError` if it cannot be read now. */
  async caughtUp(): Promise<void> {
    if (this.hasFailed) this.start()
    await this.running
  }

  private async readChanged(): Promise<void> {
    while (this.changed === 'all' || this.changed.size > 0) {
      const keys = this.changed
      this.changed = new Set()
      try {
        await this.read(keys === 'all' ? keys : ([...keys] as never[]))
        this.hasFailed = false
      } catch (error) {
        const { log, topic } = this
        if (!(error instanceof StorageError)) {
          log.error({ error, topic }, 'a change of another server was not taken in')
          continue
        }
        this.changed = union(this.changed, keys)
        this.hasFailed = true
        this.running = undefined
        log.warn({ error, reason: error.reason, topic }, 'what other servers changed could not be read')
        throw error
      }
    }
    // At once: what is added from now on begins another run.
    this.running = undefined
  }
}

const union = (some: Keys, more: Keys): Keys =>
  some === 'all' || more === 'all' ? 'all' : new Set([...some, ...more])
