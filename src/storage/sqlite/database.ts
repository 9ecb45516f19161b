import type { Database as File } from 'better-sqlite3'
import { type CompiledQuery, type Kysely, type QueryResult, SqliteAdapter, SqliteQueryCompiler } from 'kysely'
import { StorageError } from '../../words/errors.ts'
import { createKysely, type Database, type Job } from '../database.ts'
import type { Tables } from '../tables.ts'
import { sqliteDialect } from './dialect.ts'
import { isRejectedChange, toStorageError } from './errors.ts'

/** An open SQLite file. Reads run at once; all writes of one tick share a transaction and its disk sync. */
export interface SqliteDatabase extends Database {
  readonly file: File
  /** A job that throws is rolled back alone; a failed commit rejects all jobs of the tick. */
  write<T>(job: (db: Kysely<Tables>) => T | Promise<T>): Promise<T>
  /** Commits waiting writes, then closes. Later calls are rejected. Closing twice is harmless. */
  close(): Promise<void>
}

/** Takes over an open file. `isStopping` is asked before each commit. */
export function createSqliteDatabase(file: File, isStopping = (): boolean => false): SqliteDatabase {
  const send = statementCache(file)
  const kysely: Kysely<Tables> = createKysely(
    { createAdapter: () => new SqliteAdapter(), createQueryCompiler: () => new SqliteQueryCompiler() },
    async ({ sql, parameters }) => send(sql, parameters),
  )
  const groups = new WriteGroups(file, send, isStopping)
  const wal = createWalTruncation(file)
  let closing: Promise<void> | undefined

  /** Waits for the running group of writes, which may still be rolled back. */
  async function read<T>(job: Job<T>): Promise<T> {
    groups.refuseIfClosed()
    await groups.underWay
    try {
      return await job(kysely)
    } catch (error) {
      throw toStorageError(error, { reading: true })
    }
  }

  const write = <T>(job: (db: Kysely<Tables>) => T | Promise<T>): Promise<T> => groups.add(() => job(kysely))

  async function inOrder<T>(job: Job<T>): Promise<T> {
    await groups.commit()
    return await read(job)
  }

  return {
    file,
    dialect: sqliteDialect,
    read,
    write,
    writes: () => ({ write, statement: write, inOrder }),
    truncateWalSoon: wal.soon,
    async close() {
      closing ??= groups.close().then(() => {
        wal[Symbol.dispose]()
        file.close()
      })
      await closing
    },
  }
}

interface Waiting {
  run(): unknown
  resolve(value: unknown): void
  reject(error: StorageError): void
}

/** The timeout of another program's lock while the server stops, in ms. */
const STOPPING_BUSY_MS = 100

/** Runs the jobs of each tick in one transaction, one group after the other. */
class WriteGroups {
  /** Resolves when the last group that began is committed or refused. */
  underWay: Promise<void> = Promise.resolve()
  readonly #file: File
  readonly #send: Send
  readonly #isStopping: () => boolean
  #waiting: Waiting[] = []
  #isClosed = false

  constructor(file: File, send: Send, isStopping: () => boolean) {
    this.#file = file
    this.#send = send
    this.#isStopping = isStopping
  }

  add<T>(run: () => T | Promise<T>): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      this.refuseIfClosed()
      if (this.#waiting.push({ run, resolve, reject }) === 1) setImmediate(() => void this.commit())
    })
  }

  /** Commits the waiting jobs after the previous group. Never rejects. */
  commit(): Promise<void> {
    this.underWay = this.underWay.then(() => this.#commitGroup())
    return this.underWay
  }

  close(): Promise<void> {
    this.#isClosed = true
    return this.commit()
  }

  refuseIfClosed(): void {
    if (this.#isClosed) throw new StorageError('other', 'the server is stopping; nothing was stored')
  }

  async #commitGroup(): Promise<void> {
    const group = this.#waiting
    this.#waiting = []
    if (group.length === 0) return
    const outcomes: (() => void)[] = []
    try {
      if (this.#isStopping()) this.#file.pragma(`busy_timeout = ${STOPPING_BUSY_MS}`)
      this.#send('BEGIN IMMEDIATE')
      for (const { run, resolve, reject } of group) {
        this.#send('SAVEPOINT job')
        try {
          const result = run()
          // Appending returns no promise, which would take a quarter of its time.
          const value = result instanceof Promise ? await settleWithinTick(result) : result
          outcomes.push(() => resolve(value))
        } catch (error) {
          if (!this.#file.inTransaction || !isRejectedChange(error)) throw error
          this.#send('ROLLBACK TO job')
          outcomes.push(() => reject(toStorageError(error)))
        }
        this.#send('RELEASE job')
      }
      this.#send('COMMIT')
    } catch (error) {
      for (const { reject } of group) reject(toStorageError(error))
      // If the disk is full, SQLite has rolled back by itself.
      if (this.#file.inTransaction) this.#send('ROLLBACK')
      return
    }
    for (const tell of outcomes) tell()
  }
}

/** Rejects a job that waits for anything but SQLite: nothing could be stored or read meanwhile. */
async function settleWithinTick<T>(job: Promise<T>): Promise<T> {
  let hasWaited = false
  // Runs once no promise can continue.
  process.nextTick(() => (hasWaited = true))
  const value = await job
  if (hasWaited) throw new Error('a job waited for something other than the database')
  return value
}

/** The most compiled statements. The stores have fewer texts, since a list is one parameter. */
const MAX_STATEMENTS = 400

type Values = CompiledQuery['parameters']
type Run = (values: Values) => QueryResult<unknown>
type Send = (sql: string, values?: Values) => QueryResult<unknown>

function statementCache(file: File): Send {
  const cache = new Map<string, Run>()
  return (sql, values = []) => {
    const cached = cache.get(sql)
    if (cached) return cached(values)
    const run = compile(file, sql)
    const [oldest] = cache.keys()
    if (cache.size === MAX_STATEMENTS && oldest !== undefined) cache.delete(oldest)
    cache.set(sql, run)
    return run(values)
  }
}

function compile(file: File, sql: string): Run {
  const statement = file.prepare(sql)
  return statement.reader
    ? (values) => ({ rows: statement.all(values) })
    : (values) => ({ rows: [], numAffectedRows: BigInt(statement.run(values).changes) })
}

/** The delay in ms until the log is emptied: all deletions meanwhile cost one checkpoint. */
export const TRUNCATE_AFTER_MS = 10_000

/**
 * Empties the log (`-wal`), in which deleted texts stay readable. A checkpoint writes each changed page and
 * syncs both files, so there is one in ten seconds at most, in the thread that writes, after a deletion.
 */
function createWalTruncation(file: File): Disposable & { soon(): void } {
  let timer: NodeJS.Timeout | undefined

  function soon(): void {
    timer ??= setTimeout(truncate, TRUNCATE_AFTER_MS).unref()
  }

  function truncate(): void {
    timer = undefined
    if (file.open && !tryToTruncate(file)) soon()
  }

  return { soon, [Symbol.dispose]: () => clearTimeout(timer) }
}

/** Empties the log. Returns false, without waiting, if somebody reads from it or the disk is full. */
function tryToTruncate(file: File): boolean {
  const patience = Number(file.pragma('busy_timeout', { simple: true }))
  try {
    file.pragma('busy_timeout = 0')
    return file.pragma('wal_checkpoint(TRUNCATE)', { simple: true }) === 0
  } catch {
    return false
  } finally {
    file.pragma(`busy_timeout = ${patience}`)
  }
}
