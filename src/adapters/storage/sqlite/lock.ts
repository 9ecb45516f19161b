import { dirname } from 'node:path'
import { StorageError } from '../../../chat/errors.ts'
import { openFile } from './driver.ts'
import { toStorageError } from './errors.ts'
import { realFile } from './real-file.ts'
import { refuseStaleLog } from './stale-log.ts'
import { touchPrivately } from './private-file.ts'

/**
 * Makes this process the only one that serves from the database `file`, whether or not it is there yet. The lock is SQLite's own, on an empty file beside it: the system frees it however the process ends, and it
 * does not keep out readers such as a backup. Throws `StorageError` (`locked`) if another process has it.
 */
export function lock(file: string): Disposable {
  const path = `${realFile(file)}.lock`
  touchPrivately(path)
  const db = openFile(path, { timeout: 0 })
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

/**
 * As `lock`, for a database that is to be opened: it is made if there is none, its owner's alone. A log that is not its
 * own is refused. Throws `StorageError`.
 */
export function lockToOpen(file: string): Disposable {
  const locked = lock(file)
  try {
    refuseStaleLog(file)
    touchPrivately(file)
    return locked
  } catch (error) {
    locked[Symbol.dispose]()
    throw toStorageError(error)
  }
}

const inUse = (file: string, cause: StorageError): StorageError =>
  new StorageError(
    'locked',
    `another sshawl is using ${dirname(file)}; stop that one, or give this one another directory with --data`,
    { cause },
  )
