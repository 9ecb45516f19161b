import type { Database } from 'better-sqlite3'

/** How long it may take until the log is emptied, in milliseconds: all that is deleted meanwhile costs one emptying. */
export const EMPTY_AFTER_MS = 10_000

/** Empties the log file of a database (`-wal`), in which a deleted text stays readable until something overwrites it. */
export interface LogEmptier extends Disposable {
  /** To be called when such a text is deleted. Does nothing where it was called already. */
  soon(): void
}

/**
 * It takes what a checkpoint takes: each changed page is written to the database once, and both files are synced. So it is done
 * once in `EMPTY_AFTER_MS` at most, in the thread that writes, and only where something was deleted.
 */
export function createLogEmptier(db: Database): LogEmptier {
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
