import { type Kysely, PostgresAdapter, PostgresQueryCompiler } from 'kysely'
import { Client, type ClientConfig, Pool, type PoolClient } from 'pg'
import { StorageError } from '../../../chat/errors.ts'
import type { Log } from '../../../chat/ports.ts'
import { errorMessage } from '../../../lib/errors.ts'
import { createSerial, type Serial } from '../../../lib/jobs/serial.ts'
import { withExplicitSslMode } from '../../../lib/addresses.ts'
import { createKysely, type Database, type Job, type Writes } from '../database.ts'
import type { Lock } from '../locks.ts'
import type { StorageTimer } from '../storage.ts'
import type { Tables } from '../tables.ts'
import { postgresDialect } from './dialect.ts'
import { isDisconnected, toStorageError } from './errors.ts'
import { inTransaction, isRepeatable, isUnusable, NotBegun } from './transaction.ts'
import { toStored, VALUE_TYPES } from './values.ts'

/** A PostgreSQL database, through a pool of connections. */
export interface PostgresDatabase extends Database, AsyncDisposable {
  writes(): PostgresWrites
  /** A transaction outside of all queues, which holds the locks until it ends. Resolves after the commit. */
  transaction<T>(job: Job<T>, locks?: readonly Lock[]): Promise<T>
}

/** The writes of one store, in the order of the calls. */
export interface PostgresWrites extends Writes {
  /** Does something else in its turn. */
  readonly serially: Serial
}

/** What PostgreSQL calls the connections, and where their troubles are logged. */
export interface PostgresSettings {
  readonly log?: Log
  readonly name?: string
  readonly timed?: StorageTimer | undefined
}

/** Attempts at a transaction that others are in the way of. */
const ATTEMPTS = 5

/** Nothing is connected before the first statement. */
export function createPostgresDatabase(url: string, settings: PostgresSettings = {}): PostgresDatabase {
  const pool = createPool(url, settings)
  const reach = new Reach(settings.log)
  const queues: Serial[] = []
  let closing: Promise<void> | undefined

  async function withClient<T>(work: (client: PoolClient) => Promise<T>): Promise<T> {
    if (closing) throw new StorageError('other', 'the server is stopping; nothing was stored')
    const client = await pool.connect()
    // The pool listens only while nobody uses it. If it ends between two statements, the next one rejects.
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
      const trouble = toStorageError(error instanceof NotBegun ? error.cause : error, { reading })
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
        // It is never sent twice: nobody knows whether one without an answer was done.
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

/** Connections of one server. PostgreSQL takes a hundred unless somebody changed it. */
const MAX_CONNECTIONS = 12

/** Milliseconds until an attempt to connect is given up. */
const CONNECT_MS = 10_000

/**
 * Milliseconds that a statement may take there, and that its answer is waited for: the network may be cut.
 */
const STATEMENT_MS = 20_000
const ANSWER_MS = 25_000

/**
 * Milliseconds that others' locks are waited for, and that a transaction may do nothing: its server may hang.
 */
const LOCK_MS = 15_000
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

type Connected = Parameters<Client['connect']>[0]

/** A client of the pool, with what the driver leaves to those who use it. */
class PooledClient extends Client {
  constructor(config?: ClientConfig) {
    super(config)
    // One that ends while it is used has rejected its statement, and emits the same error once more.
    this.on('error', ignore)
  }

  override connect(): Promise<Client>
  override connect(done: Connected): void
  override connect(done?: Connected): Promise<Client> | undefined {
    if (!done) return super.connect()
    super.connect((error: Error) => {
      // A login that fails on our side, as without a password, would stay open until PostgreSQL ends it.
      if (error) void this.end()
      Reflect.apply(done, undefined, [error, this])
    })
    return undefined
  }
}

/** Logs once that the database cannot be reached, and once that it can be again. */
class Reach {
  readonly #log: Log | undefined
  #isAway = false

  constructor(log: Log | undefined) {
    this.#log = log
  }

  /** Call it as a statement begins, and the function that it returns once that has succeeded. */
  begin(): () => void {
    const wasAway = this.#isAway
    return () => {
      // What began before may still end well when the database goes away.
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
  isWorthIt: (error: unknown) => boolean,
  attempts: number,
): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (attempts > 1 && isWorthIt(error)) return await repeat(work, isWorthIt, attempts - 1)
    throw error
  }
}

/** Sends statements over one connection. */
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
