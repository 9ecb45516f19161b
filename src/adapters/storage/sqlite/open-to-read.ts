import type { Database } from 'better-sqlite3'
import { openFile } from './driver.ts'
import { refuseStaleLog } from './stale-log.ts'

/**
 * Opens a database that another process may be serving from, only to read it, or `to copy` it away under this process's own
 * lock. Whoever opens a file that this process does not have open yet goes through here, so that none reads a database mixed with
 * the log of another one. Throws `StorageError` for such a log, and what SQLite throws.
 */
export function openToRead(file: string, use: 'to read' | 'to copy' = 'to read'): Database & Disposable {
  refuseStaleLog(file)
  const db = openFile(file, { readonly: use === 'to read', fileMustExist: true })
  return Object.assign(db, { [Symbol.dispose]: () => void db.close() })
}
