import { Client, type ClientConfig, Pool, type PoolClient } from 'pg'
import { StorageError } from '../../../chat/errors.ts'
import type { Log } from '../../../chat/ports.ts'
import { errorMessage } from '../../../lib/errors.ts'
import { saidOutright } from '../../../lib/postgres-url.ts'
import { isDisconnected, toStorageError } from './errors.ts'
import { createWriteQueue, type WriteQueue } from './write-queue.ts'
import type { Lock } from './locks.ts'
import { createReach } from './reach.ts'
import type { Sql } from './sql.ts'
import { type Job, type Statements, statementsOn } from './statements.ts'
import { inTransaction, isRepeatable, isUnusable, NotBegun } from './transaction.ts'

/** The only way to the database, through a pool of connections. Everything rejects with `StorageError` only. */
export interface Connections extends AsyncDisposable {
  /** Single statements that change nothing. */
  readonly read: Statements
  /** A transaction that holds these locks until its end. Resolves after the commit. */
  readonly transaction: <T>(job: Job<T>, locks?: readonly Lock[]) => Promise<T>
  /** Another line of writes, which are done in the order of the calls. */
  readonly writeQueue: () => WriteQueue
}

/** Connections of one server. PostgreSQL takes a hundred where nobody changed it. */
const MAX_CONNECTIONS = 12

/** How long it is tried to get a connection, in milliseconds. */
const CONNECT_MS = 10_000

/** How long one statement may take there, and how long its answer is waited for here: the network may be cut. */
const STATEMENT_MS = 20_000
const ANSWER_MS = 25_000

/** How long others' locks are waited for, and how long a transaction may do nothing: its server may have been stopped. */
const LOCK_MS = 15_000
const IDLE_MS = 10_000

/** So often a transaction is tried again that others were in the way of. */
const ATTEMPTS = 5

/** Who connects. */
interface Connecting {
  readonly log?: Log
  /** What PostgreSQL calls the connections. */
  readonly name?: string
}

/** What the driver leaves to those who use it. */
class PooledClient extends Client {
  constructor(config?: ClientConfig) {
    super(config)
    // One that ends while it is used has rejected its statement. It tells so here, too, and nobody need hear it twice.
    this.on('error', () => undefined)
  }

  override connect(): Promise<Client>
  override connect(done: Connected): void
  override connect(done?: Connected): Promise<Client> | undefined {
    if (!done) return super.connect()
    super.connect((error: Error) => {
      // A login that fails on our side, as without a password, would be open until PostgreSQL gives up on it.
      if (error) void this.end()
      Reflect.apply(done, undefined, [error, this])
    })
    return undefined
  }
}

type Connected = Parameters<Client['connect']>[0]

/** Nothing is connected before the first statement. */
export function createConnections(url: string, { log, name = 'sshawl' }: Connecting = {}): Connections {
  const pool = new Pool({
    Client: PooledClient,
    connectionString: saidOutright(url),
    max: MAX_CONNECTIONS,
    connectionTimeoutMillis: CONNECT_MS,
    statement_timeout: STATEMENT_MS,
    query_timeout: ANSWER_MS,
    lock_timeout: LOCK_MS,
    idle_in_transaction_session_timeout: IDLE_MS,
    application_name: name,
    keepAlive: true,
  })
  // A connection that ends while nobody uses it, as all do when PostgreSQL restarts. The next statement opens another.
  pool.on('error', (error) =>
    log?.debug({ reason: errorMessage(error) }, 'a connection to the database ended'),
  )
  const reach = createReach(log)
  let closing: Promise<void> | undefined
  const queues: WriteQueue[] = []

  async function once<T>(work: (client: PoolClient) => Promise<T>): Promise<T> {
    if (closing) throw new StorageError('other', 'the server is stopping; nothing was stored')
    const client = await pool.connect()
    // The pool listens only while nobody uses it. Between two statements nobody else would hear that it ended: the next one rejects.
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
    try {
      const value = await work
      succeeded()
      return value
    } catch (error) {
      const trouble = toStorageError(error instanceof NotBegun ? error.cause : error, { reading })
      reach.failed(trouble)
      throw trouble
    }
  }

  const read = statementsOn((query) =>
    settle(
      again(() => once((client) => client.query(query)), isDisconnected, 2),
      true,
    ),
  )
  const run = (statement: Sql): Promise<number> =>
    settle(once((client) => statementsOn((query) => client.query(query)).run(statement)))
  const transaction = <T>(job: Job<T>, locks: readonly Lock[] = []): Promise<T> =>
    settle(again(() => once((client) => inTransaction(client, job, locks)), isRepeatable, ATTEMPTS))

  return {
    read,
    transaction,
    writeQueue() {
      const writes = createWriteQueue({ read, run, transaction })
      queues.push(writes)
      return writes
    },
    async [Symbol.asyncDispose]() {
      await Promise.all(queues.map((writes) => writes.settled()))
      closing ??= pool.end()
      await closing
    },
  }
}

const ignore = (): void => undefined

async function again<T>(
  work: () => Promise<T>,
  isWorthIt: (error: unknown) => boolean,
  attempts: number,
): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (attempts > 1 && isWorthIt(error)) return await again(work, isWorthIt, attempts - 1)
    throw error
  }
}
