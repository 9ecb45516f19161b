import { Pool, type PoolClient, type QueryConfig } from 'pg'
import { StorageError } from '../../../chat/errors.ts'
import type { Log } from '../../../chat/ports.ts'
import { errorMessage } from '../../../lib/errors.ts'
import { isConflict, isDisconnected, toStorageError } from './errors.ts'
import { createLane, type Lane } from './lane.ts'
import { type Lock, taken } from './locks.ts'
import { bound, type Sql } from './sql.ts'
import { toStored, VALUE_TYPES } from './values.ts'

/** Where statements are sent to. Rejects with what the driver throws. */
export interface Statements {
  all<Row>(statement: Sql): Promise<readonly Row[]>
  /** The first row, if there is any. */
  get<Row>(statement: Sql): Promise<Row | undefined>
  /** How many rows were changed. */
  run(statement: Sql): Promise<number>
}

/** Work within a transaction. It may be done again from its beginning where another one was in its way. */
export type Job<T> = (transaction: Statements) => Promise<T>

/** The only way to the database, through a pool of connections. Everything rejects with `StorageError` only. */
export interface Connection extends AsyncDisposable {
  /** Single statements that change nothing. */
  readonly read: Statements
  /** A transaction that holds these locks until its end. Resolves after the commit. */
  readonly transaction: <T>(job: Job<T>, locks?: readonly Lock[]) => Promise<T>
  /** Another line of writes, which are done in the order of the calls. */
  readonly lane: () => Lane
}

/** The row that a statement ending in RETURNING always gives. */
export function returned<T>(row: T | undefined): T {
  if (row === undefined) throw new Error('the statement returned no row')
  return row
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

/** Nothing is connected before the first statement. */
export function createConnection(url: string, log?: Log): Connection {
  const pool = new Pool({
    connectionString: url,
    max: MAX_CONNECTIONS,
    connectionTimeoutMillis: CONNECT_MS,
    statement_timeout: STATEMENT_MS,
    query_timeout: ANSWER_MS,
    lock_timeout: LOCK_MS,
    idle_in_transaction_session_timeout: IDLE_MS,
    application_name: 'sshawl',
    keepAlive: true,
  })
  // A connection that ends while nobody uses it, as all do when PostgreSQL restarts. The next statement opens another.
  pool.on('error', (error) =>
    log?.warn({ reason: errorMessage(error) }, 'a connection to the database ended'),
  )
  let closing: Promise<void> | undefined
  const lanes: Lane[] = []

  async function once<T>(work: (client: PoolClient) => Promise<T>): Promise<T> {
    if (closing) throw new StorageError('other', 'the server is stopping; nothing was stored')
    const client = await pool.connect()
    let trouble: unknown
    try {
      return await work(client)
    } catch (error) {
      trouble = error
      throw error
    } finally {
      client.release(isUnusable(trouble))
    }
  }

  async function read<T>(work: (client: PoolClient) => Promise<T>): Promise<T> {
    try {
      return await again(() => once(work), isDisconnected, 2)
    } catch (error) {
      throw toStorageError(error, { reading: true })
    }
  }

  const connection: Connection = {
    read: statementsOn((query) => read((client) => client.query(query))),
    async transaction(job, locks = []) {
      try {
        return await again(() => once((client) => inTransaction(client, job, locks)), isRepeatable, ATTEMPTS)
      } catch (error) {
        throw toStorageError(error)
      }
    },
    lane() {
      const lane = createLane(connection, async (statement) => {
        try {
          return await once((client) => statementsOn((query) => client.query(query)).run(statement))
        } catch (error) {
          throw toStorageError(error)
        }
      })
      lanes.push(lane)
      return lane
    },
    async [Symbol.asyncDispose]() {
      await Promise.all(lanes.map((lane) => lane.settled()))
      closing ??= pool.end()
      await closing
    },
  }
  return connection
}

/** After these nobody knows what the connection is doing: it is not used again. */
const isUnusable = (error: unknown): boolean =>
  error !== undefined && (isDisconnected(error) || /Query read timeout/.test(errorMessage(error)))

/** Nothing was done: others were in the way, or the connection was gone before it began. */
const isRepeatable = (error: unknown): boolean => isConflict(error) || error instanceof NotBegun

class NotBegun extends Error {}

async function again<T>(
  work: () => Promise<T>,
  isWorthIt: (error: unknown) => boolean,
  attempts: number,
): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (attempts > 1 && isWorthIt(error)) return await again(work, isWorthIt, attempts - 1)
    throw error instanceof NotBegun ? error.cause : error
  }
}

async function inTransaction<T>(client: PoolClient, job: Job<T>, locks: readonly Lock[]): Promise<T> {
  try {
    await begin(client, locks)
    const value = await job(statementsOn((query) => client.query(query)))
    await commit(client)
    return value
  } catch (error) {
    if (!isUnusable(error) && !(error instanceof NotBegun)) await client.query('ROLLBACK')
    throw error
  }
}

/** One message for all of it. */
async function begin(client: PoolClient, locks: readonly Lock[]): Promise<void> {
  try {
    await client.query(['BEGIN', ...(locks.length > 0 ? [bound(taken(locks)).text] : [])].join('; '))
  } catch (cause) {
    throw isDisconnected(cause) ? new NotBegun('', { cause }) : cause
  }
}

async function commit(client: PoolClient): Promise<void> {
  try {
    await client.query('COMMIT')
  } catch (cause) {
    if (!isUnusable(cause)) throw cause
    throw new StorageError(
      'other',
      'the database server went away; look whether it was stored, and try again',
      {
        cause,
      },
    )
  }
}

interface Result {
  readonly rows: readonly unknown[]
  readonly rowCount: number | null
}

function statementsOn(query: (config: QueryConfig) => Promise<Result>): Statements {
  const send = (statement: Sql): Promise<Result> => {
    const { text, values } = bound(statement)
    return query({ text, values: values.map(toStored), types: VALUE_TYPES })
  }
  return {
    all: async <Row>(statement: Sql) => (await send(statement)).rows as readonly Row[],
    get: async <Row>(statement: Sql) => (await send(statement)).rows[0] as Row | undefined,
    run: async (statement) => (await send(statement)).rowCount ?? 0,
  }
}
