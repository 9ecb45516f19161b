import { dirname } from 'node:path'
import Database from 'better-sqlite3'
import { StorageError } from '../../../chat/errors.ts'
import { toStorageError } from './errors.ts'
import { touchPrivately } from './private-file.ts'

/**
 * Makes this process the only one that serves from the database `file`. The lock is SQLite's own, on an
 * empty file beside it, so the system frees it however the process ends, and readers such as a backup are
 * not kept out. Throws `StorageError` (`locked`) if another process has it.
 */
export function lock(file: string): Disposable {
  const path = `${file}.lock`
  touchPrivately(path)
  const db = new Database(path, { timeout: 0 })
  try {
    db.pragma('journal_mode = MEMORY')
    db.exec('BEGIN EXCLUSIVE')
  } catch (error) {
    db.close()
    const trouble = toStorageError(error)
    throw trouble.reason === 'locked' ? inUse(file, trouble) : trouble
  }
  return { [Symbol.dispose]: () => void db.close() }
}

const inUse = (file: string, cause: StorageError): StorageError =>
  new StorageError(
    'locked',
    `another sshawl is using ${dirname(file)}; stop that one, or give this one another directory with --data`,
    { cause },
  )
