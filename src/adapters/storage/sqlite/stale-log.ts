import { closeSync, existsSync, openSync, readSync, statSync } from 'node:fs'
import { StorageError } from '../../../chat/errors.ts'
import { realFile } from './real-file.ts'

/** Where the header says how the file is written: 2 with a write-ahead log (https://www.sqlite.org/fileformat.html, 1.3). */
const WRITE_VERSION_AT = 18
const WITH_LOG = 2

/** True where a log has something that is not in the database yet: whoever used it last did not close it. */
export const hasLog = (file: string): boolean =>
  (statSync(`${realFile(file)}-wal`, { throwIfNoEntry: false })?.size ?? 0) > 0

/**
 * Throws `StorageError` if a backup was put in the place of a database whose log is still there. SQLite would take that
 * log for the backup's own, and ruin it. A backup is written without a log, and a database that a server has used is not.
 * To be called before this process opens the database: closing the file would drop the process's locks on it.
 */
export function refuseStaleLog(path: string): void {
  const file = realFile(path)
  if (!hasLog(file)) return
  if (!existsSync(file))
    throw new StorageError(
      'other',
      `${file} is missing, and the log beside it, ${file}-wal, is of no use alone; nothing was changed: ` +
        'put the database back beside it, or move the log away and put a backup in place with sshawl restore FILE',
    )
  if (writeVersion(file) === WITH_LOG) return
  throw new StorageError(
    'other',
    `${file} and the log beside it, ${file}-wal, are not of the same database, and the log would ruin it; ` +
      'nothing was changed: if it is a backup, move it elsewhere and put it in place with sshawl restore FILE',
  )
}

/** Of an empty file, which SQLite makes a database of, 0. */
function writeVersion(file: string): number {
  const descriptor = openSync(file, 'r')
  try {
    const byte = Buffer.alloc(1)
    readSync(descriptor, byte, 0, 1, WRITE_VERSION_AT)
    return byte.readUInt8()
  } finally {
    closeSync(descriptor)
  }
}
