import type { Database, Statement } from 'better-sqlite3'
import { StorageError } from '../../../chat/errors.ts'
import { createSerial } from '../../../lib/jobs/serial.ts'
import { concernsOneChange, toStorageError } from './errors.ts'

/** The only way to the database: reads at once, writes in groups. Both reject with `StorageError` only. */
export interface Connection {
  readonly db: Database
  /** Waits for a group that is under way: its changes may yet be undone. */
  readonly read: <T>(job: () => T) => Promise<T>
  /**
   * Runs the job with all others of the same tick in one transaction: one sync to disk for all of them.
   * Resolves after the commit. A job that throws undoes itself alone; a failed commit rejects them all.
   * A job may be asynchronous, but awaits nothing except this database: until it ends, nothing else is stored.
   */
  readonly write: <T>(job: () => T | Promise<T>) => Promise<T>
  /** To be called by a job that deletes what nobody may read any more: soon after, it is not in the database's log either. */
  readonly emptyLogSoon: () => void
  /** Commits what waits, then closes. Everything after that is rejected. Closing twice is harmless. */
  readonly close: () => Promise<void>
}

interface Waiting {
  /** Runs the job. Resolves to a function that tells its caller the value, to be called after the commit. */
  readonly run: () => Promise<Outcome>
  readonly reject: (error: StorageError) => void
}

/** Tells the caller of a job its outcome. */
type Outcome = () => void

/** Milliseconds that another program's lock is waited for while the server stops. */
const HURRIED_BUSY_MS = 100

/** Takes over an open database. `isHurried` is asked before each commit: the server stops. */
export function createConnection(db: Database, isHurried = (): boolean => false): Connection {
  let waiting: Waiting[] = []
  let group: Promise<void> = Promise.resolve()
  let closing: Promise<void> | undefined
  const serially = createSerial()
  const log = createLogEmptier(db)
  const statements = new Map<string, () => unknown>()

  function execute(sql: string): void {
    const run = statements.get(sql) ?? runnerOf(db.prepare(sql))
    statements.set(sql, run)
    run()
  }

  /** Commits what waits, after the group before. Never rejects. */
  const commit = (): Promise<void> =>
    (group = serially(async () => {
      const jobs = waiting
      waiting = []
      if (jobs.length > 0) await commitGroup(jobs)
    }))

  async function commitGroup(jobs: readonly Waiting[]): Promise<void> {
    const outcomes: Outcome[] = []
    try {
      if (isHurried()) db.pragma(`busy_timeout = ${HURRIED_BUSY_MS}`)
      execute('BEGIN IMMEDIATE')
      for (const job of jobs) outcomes.push(await runUndoable(job))
      execute('COMMIT')
    } catch (error) {
      for (const { reject } of jobs) reject(toStorageError(error))
      // SQLite has undone it by itself if the disk is full.
      if (db.inTransaction) execute('ROLLBACK')
      return
    }
    for (const tell of outcomes) tell()
  }

  async function runUndoable({ run, reject }: Waiting): Promise<Outcome> {
    execute('SAVEPOINT job')
    try {
      const tell = await withoutTurn(run)
      execute('RELEASE job')
      return tell
    } catch (error) {
      if (!db.inTransaction || !concernsOneChange(error)) throw error
      execute('ROLLBACK TO job')
      execute('RELEASE job')
      return () => reject(toStorageError(error))
    }
  }

  const refuseIfClosed = (): void => {
    if (closing) throw new StorageError('other', 'the server is stopping; nothing was stored')
  }

  return {
    db,
    async read(job) {
      refuseIfClosed()
      await group
      try {
        return job()
      } catch (error) {
        throw toStorageError(error, { reading: true })
      }
    },
    async write<T>(job: () => T | Promise<T>) {
      refuseIfClosed()
      return new Promise<T>((resolve, reject) => {
        const run = async (): Promise<Outcome> => {
          const value = await job()
          return () => resolve(value)
        }
        waiting.push({ run, reject })
        if (waiting.length === 1) setImmediate(() => void commit())
      })
    },
    emptyLogSoon: log.soon,
    async close() {
      closing ??= commit().then(() => {
        log[Symbol.dispose]()
        db.close()
      })
      await closing
    },
  }
}

const runnerOf = (statement: Statement) => statement.run.bind(statement)

/**
 * SQLite answers at once, so a job ends before the event loop turns. One that waits for anything else is a mistake:
 * nothing could be stored or read meanwhile. Rejects then, so that the job is undone and tests find it.
 */
async function withoutTurn<T>(job: () => Promise<T>): Promise<T> {
  let hasTurned = false
  const watch = setImmediate(() => (hasTurned = true))
  try {
    const value = await job()
    if (hasTurned) throw new Error('a job waited for something other than the database')
    return value
  } finally {
    clearImmediate(watch)
  }
}

/** The row that a statement ending in RETURNING always gives. */
export function returned<T>(row: T | undefined): T {
  if (row === undefined) throw new Error('the statement returned no row')
  return row
}

/** How long it may take until the log is emptied, in milliseconds: all that is deleted meanwhile costs one emptying. */
export const EMPTY_AFTER_MS = 10_000

/** Empties the log file of a database (`-wal`), in which a deleted text stays readable until something overwrites it. */
interface LogEmptier extends Disposable {
  /** To be called when such a text is deleted. Does nothing where it was called already. */
  soon(): void
}

/**
 * It takes what a checkpoint takes: each changed page is written to the database once, and both files are synced. So it is done
 * once in `EMPTY_AFTER_MS` at most, in the thread that writes, and only where something was deleted.
 */
function createLogEmptier(db: Database): LogEmptier {
  let timer: NodeJS.Timeout | undefined

  function soon(): void {
    timer ??= setTimeout(empty, EMPTY_AFTER_MS).unref()
  }

  function empty(): void {
    timer = undefined
    if (db.open && !isEmptied(db)) soon()
  }

  return { soon, [Symbol.dispose]: () => clearTimeout(timer) }
}

/** False where somebody reads from the log, or the disk has no room: writes do not wait for either. */
function isEmptied(db: Database): boolean {
  const patience = Number(db.pragma('busy_timeout', { simple: true }))
  try {
    db.pragma('busy_timeout = 0')
    return db.pragma('wal_checkpoint(TRUNCATE)', { simple: true }) === 0
  } catch {
    return false
  } finally {
    db.pragma(`busy_timeout = ${patience}`)
  }
}
