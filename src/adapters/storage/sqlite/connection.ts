import type { Database } from 'better-sqlite3'
import { StorageError } from '../../../chat/errors.ts'
import { createLogEmptier } from './empty-log.ts'
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
