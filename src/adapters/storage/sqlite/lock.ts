import { dirname } from 'node:path'
import { StorageError } from '../../../chat/errors.ts'
import { openFile } from './driver.ts'
import { toStorageError } from './errors.ts'
import { touchPrivately } from './private-file.ts'

/**
 * Makes the database `file` if there is none, its owner's alone, and this process the only one that serves from
 * it. The lock is SQLite's own, on an empty file beside it: the system frees it however the process ends, and it
 * does not keep out readers such as a backup. Throws `StorageError` (`locked`) if another process has it.
 */
export function lock(file: string): Disposable {
  const path = `${file}.lock`
  touchPrivately(path)
  const db = openFile(path, { timeout: 0 })
  try {
    db.pragma('journal_mode = MEMORY')
    db.exec('BEGIN EXCLUSIVE')
    touchPrivately(file)
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
