import { type Kysely, PostgresAdapter, PostgresQueryCompiler } from 'kysely'
import { Client, type ClientConfig, Pool, type PoolClient } from 'pg'
import { StorageError } from '../../words/errors.ts'
import type { Log } from '../../base/environment.ts'
import { errorMessage } from '../../base/errors.ts'
import { createSerial, type Serial } from '../../base/jobs/serial.ts'
import { withExplicitSslMode } from '../../base/addresses.ts'
import { createKysely, type Database, type Job, type Writes } from '../database.ts'
import type { Lock } from '../locks.ts'
import type { StorageTimer } from '../storage.ts'
import type { Tables } from '../tables.ts'
import { postgresDialect } from './dialect.ts'
import { isDisconnected, toStorageError } from './errors.ts'
import { inTransaction, isRepeatable, isUnusable, TransactionNotBegun } from './transaction.ts'
import { toStored, VALUE_TYPES } from './values.ts'

/** A PostgreSQL database, through a pool of connections. */
export interface PostgresDatabase extends Database, AsyncDisposable {
  writes(): PostgresWrites
  /** Runs a transaction outside of all queues with these locks. Resolves after the commit. */
  transaction<T>(job: Job<T>, locks?: readonly Lock[]): Promise<T>
}

export interface PostgresWrites extends Writes {
  /** Runs other work in the order of the writes. */
  readonly serially: Serial
}

/** `name` is the `application_name` of the connections. */
export interface PostgresSettings {
  readonly log?: Log
  readonly name?: string
  readonly timed?: StorageTimer | undefined
}

/** The most attempts at a transaction that conflicts with others. */
const ATTEMPTS = 5

/** Connects with the first statement. */
export function createPostgresDatabase(url: string, settings: PostgresSettings = {}): PostgresDatabase {
  const pool = createPool(url, settings)
  const reach = new ReachLogger(settings.log)
  const queues: Serial[] = []
  let closing: Promise<void> | undefined

  async function withClient<T>(work: (client: PoolClient) => Promise<T>): Promise<T> {
    if (closing) throw new StorageError('other', 'the server is stopping; nothing was stored')
    const client = await pool.connect()
    // The pool handles errors of idle clients only. If this connection ends, the next statement rejects.
    client.on('error', ignore)
    let trouble: unknown
    try {
      return await work(client)
    } catch (error) {
      trouble = error
      throw error
    } finally {
      client.off('error', ignore)
      client.release(isUnusable(trouble))
    }
  }

  async function settle<T>(work: Promise<T>, reading = false): Promise<T> {
    const succeeded = reach.begin()
    const since = performance.now()
    try {
      const value = await work
      succeeded()
      return value
    } catch (error) {
      const trouble = toStorageError(error instanceof TransactionNotBegun ? error.cause : error, { reading })
      reach.failed(trouble)
      throw trouble
    } finally {
      settings.timed?.(reading ? 'read' : 'write', (performance.now() - since) / 1_000)
    }
  }

  const once = <T>(job: Job<T>): Promise<T> => withClient((client) => job(kyselyOn(client)))

  function read<T>(job: Job<T>): Promise<T> {
    const result = repeat(() => once(job), isDisconnected, 2)
    return settle(result, true)
  }

  function transaction<T>(job: Job<T>, locks: readonly Lock[] = []): Promise<T> {
    const attempt = (): Promise<T> =>
      withClient((client) => inTransaction(client, () => job(kyselyOn(client)), locks))
    return settle(repeat(attempt, isRepeatable, ATTEMPTS))
  }

  return {
    dialect: postgresDialect,
    read,
    transaction,
    writes() {
      const serially = createSerial()
      queues.push(serially)
      return {
        serially,
        write: (job, ...locks) => serially(() => transaction(job, locks)),
        // Never sends it twice: a statement without an answer may have been executed.
        statement: (job) => serially(() => settle(once(job))),
        inOrder: (job) => serially(() => read(job)),
      }
    },
    truncateWalSoon() {},
    async [Symbol.asyncDispose]() {
      await Promise.all(queues.map((serially) => serially(() => undefined)))
      closing ??= pool.end()
      await closing
    },
  }
}

/** The most connections of one server. PostgreSQL's default limit is 100. */
const MAX_CONNECTIONS = 12

const CONNECT_MS = 10_000

const STATEMENT_MS = 20_000

/** The timeout of an answer, in ms: the network may be cut. */
const ANSWER_MS = 25_000

const LOCK_MS = 15_000

/** Milliseconds that a transaction may do nothing: its server may hang. */
const IDLE_MS = 10_000

function createPool(url: string, { log, name = 'sshawl' }: PostgresSettings): Pool {
  const pool = new Pool({
    Client: PooledClient,
    connectionString: withExplicitSslMode(url),
    max: MAX_CONNECTIONS,
    connectionTimeoutMillis: CONNECT_MS,
    statement_timeout: STATEMENT_MS,
    query_timeout: ANSWER_MS,
    lock_timeout: LOCK_MS,
    idle_in_transaction_session_timeout: IDLE_MS,
    application_name: name,
    keepAlive: true,
  })
  // An idle connection ended, as all do when PostgreSQL restarts. The next statement opens another.
  pool.on('error', (error) =>
    log?.debug({ reason: errorMessage(error) }, 'a connection to the database ended'),
  )
  return pool
}

const ignore = (): void => undefined

type ConnectCallback = Parameters<Client['connect']>[0]

/** A client that handles errors which the driver leaves to its caller. */
class PooledClient extends Client {
  constructor(config?: ClientConfig) {
    super(config)
    // A connection that ends during a statement rejects it, and emits the same error once more.
    this.on('error', ignore)
  }

  override connect(): Promise<Client>
  override connect(done: ConnectCallback): void
  override connect(done?: ConnectCallback): Promise<Client> | undefined {
    if (!done) return super.connect()
    super.connect((error: Error) => {
      // Closes a connection whose login failed on our side, as without a password: it would stay open.
      if (error) void this.end()
      Reflect.apply(done, undefined, [error, this])
    })
    return undefined
  }
}

/** Logs once when the database becomes unreachable, and once when it can be reached again. */
class ReachLogger {
  readonly #log: Log | undefined
  #isAway = false

  constructor(log: Log | undefined) {
    this.#log = log
  }

  /** Call it when a statement begins. Call the returned function when the statement has succeeded. */
  begin(): () => void {
    const wasAway = this.#isAway
    return () => {
      // A statement that began before the database went away may still succeed.
      if (!wasAway || !this.#isAway) return
      this.#isAway = false
      this.#log?.info({}, 'the database can be reached again')
    }
  }

  failed({ reason, forOperators, cause }: StorageError): void {
    if (this.#isAway || reason !== 'away') return
    this.#isAway = true
    this.#log?.error({ why: forOperators, cause: errorMessage(cause) }, 'the database cannot be reached')
  }
}

async function repeat<T>(
  work: () => Promise<T>,
  shouldRetry: (error: unknown) => boolean,
  attempts: number,
): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (attempts > 1 && shouldRetry(error)) return await repeat(work, shouldRetry, attempts - 1)
    throw error
  }
}

const kyselyOn = (client: PoolClient): Kysely<Tables> =>
  createKysely(
    { createAdapter: () => new PostgresAdapter(), createQueryCompiler: () => new PostgresQueryCompiler() },
    async ({ sql, parameters }) => {
      const { rows, rowCount } = await client.query<object>({
        text: sql,
        values: parameters.map(toStored),
        types: VALUE_TYPES,
      })
      return { rows, numAffectedRows: BigInt(rowCount ?? 0) }
    },
  )
