import { StorageError } from '../../words/errors.ts'
import { errorCode, errorMessage } from '../../base/errors.ts'

type Reason = StorageError['reason']

/** Errors of SQLite (https://www.sqlite.org/rescode.html) and the file system, by the start of codes. */
const CAUSES: readonly (readonly [code: string, reason: Reason, advice: string])[] = [
  ['SQLITE_FULL', 'full', 'the disk is full; free some space and try again'],
  ['ENOSPC', 'full', 'the disk is full; free some space and try again'],
  ['EDQUOT', 'full', 'the disk quota is used up; free some space and try again'],
  ['SQLITE_BUSY', 'locked', 'another program holds the database; try again when it is done'],
  ['SQLITE_LOCKED', 'locked', 'another program holds the database; try again when it is done'],
  ['SQLITE_READONLY', 'read-only', 'the database cannot be written; check its permissions and its disk'],
  ['SQLITE_PERM', 'read-only', 'the database cannot be written; check its permissions and its disk'],
  ['EACCES', 'read-only', 'the database cannot be opened for writing; check its permissions'],
  ['EPERM', 'read-only', 'the database cannot be opened for writing; check its permissions'],
  ['EROFS', 'read-only', 'the disk is read-only; choose another data directory'],
  [
    'SQLITE_CORRUPT',
    'corrupt',
    'the database is damaged; put a backup in its place with sshawl restore FILE',
  ],
  [
    'SQLITE_NOTADB',
    'corrupt',
    'the file is not a database; put a backup in its place with sshawl restore FILE, or choose another data directory',
  ],
  ['SQLITE_CANTOPEN', 'other', 'the database cannot be opened; check that it is there and is a file'],
  ['ENOENT', 'other', 'there is no such file or directory; check the path'],
  ['ENOTDIR', 'other', 'a file stands where a directory should be; check the path'],
  ['EEXIST', 'other', 'a file stands where a directory should be; check the path'],
  ['SQLITE_IOERR', 'other', 'the disk failed; see the log'],
]

/** Wraps an error in a `StorageError` with a sentence for people. Returns a `StorageError` unchanged. */
export function toStorageError(error: unknown, { reading = false } = {}): StorageError {
  if (error instanceof StorageError) return error
  const code = errorCode(error) ?? ''
  const known = CAUSES.find(([start]) => code.startsWith(start))
  const message = known?.[2] ?? `the database refused: ${errorMessage(error)}`
  return new StorageError(known?.[1] ?? 'other', message, { cause: error, reading })
}

/** True if the database works but rejected this change (a constraint, its size, its form). */
export function isRejectedChange(error: unknown): boolean {
  const code = errorCode(error) ?? ''
  return !code.startsWith('SQLITE_') || /^SQLITE_(CONSTRAINT|TOOBIG|MISMATCH|RANGE)/.test(code)
}
