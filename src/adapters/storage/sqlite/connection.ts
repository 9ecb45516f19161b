import type { Database } from 'better-sqlite3'
import { StorageError } from '../../../chat/errors.ts'
import { concernsOneChange, toStorageError } from './errors.ts'

/** The only way to the database: reads at once, writes in groups. Both reject with `StorageError` only. */
export interface Connection {
  readonly db: Database
  readonly read: <T>(job: () => T) => Promise<T>
  /**
   * Runs the job with all others of the same tick in one transaction: one sync to disk for all of them.
   * Resolves after the commit. A job that throws undoes itself alone; a failed commit rejects them all.
   */
  readonly write: <T>(job: () => T) => Promise<T>
  /** To be called by a job that deletes what nobody may read any more: soon after, it is not in the database's log either. */
  readonly emptyLogSoon: () => void
  /** Commits what waits, then closes. Everything after that is rejected. Closing twice is harmless. */
  readonly close: () => void
}

interface Waiting {
  readonly run: () => Outcome
  readonly reject: (error: StorageError) => void
}

/** Tells the caller what its job came to, once that is on disk. */
type Outcome = () => void

/** For so long another program's lock is waited for while the server stops, in milliseconds. */
const HURRIED_BUSY_MS = 100

/** Takes over an open database. `isHurried` is asked before each commit: the server stops. */
export function createConnection(db: Database, isHurried = (): boolean => false): Connection {
  let waiting: Waiting[] = []
  const log = createLogEmptier(db)
  const runAll = db.transaction((jobs: readonly Waiting[]) => jobs.map(runOne))
  const runAlone = db.transaction((job: Waiting) => job.run())

  function runOne(job: Waiting): Outcome {
    try {
      return runAlone(job)
    } catch (error) {
      if (!db.inTransaction || !concernsOneChange(error)) throw error
      return () => job.reject(toStorageError(error))
    }
  }

  function commit(): void {
    if (waiting.length === 0 || !db.open) return
    const jobs = waiting
    waiting = []
    try {
      if (isHurried()) db.pragma(`busy_timeout = ${HURRIED_BUSY_MS}`)
      for (const tell of runAll.immediate(jobs)) tell()
    } catch (error) {
      for (const job of jobs) job.reject(toStorageError(error))
    }
  }

  const refuseIfClosed = (): void => {
    if (!db.open) throw new StorageError('other', 'the server is stopping; nothing was stored')
  }

  return {
    db,
    async read(job) {
      refuseIfClosed()
      try {
        return job()
      } catch (error) {
        throw toStorageError(error, { reading: true })
      }
    },
    async write<T>(job: () => T) {
      refuseIfClosed()
      return new Promise<T>((resolve, reject) => {
        const run = (): Outcome => {
          const value = job()
          return () => resolve(value)
        }
        waiting.push({ run, reject })
        if (waiting.length === 1) setImmediate(commit)
      })
    },
    emptyLogSoon: log.soon,
    close() {
      commit()
      log[Symbol.dispose]()
      db.close()
    },
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
