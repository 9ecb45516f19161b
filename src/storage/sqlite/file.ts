// The files of a database: who may use them, their modes, and whether they belong together. It must not know
// what is stored in them. Links are resolved first: SQLite's log and our lock are beside the file itself.

import { randomUUID } from 'node:crypto'
import {
  accessSync,
  chmodSync,
  closeSync,
  constants,
  existsSync,
  mkdirSync,
  openSync,
  readSync,
  realpathSync,
  rmSync,
  statSync,
} from 'node:fs'
import { dirname } from 'node:path'
import type { Database } from 'better-sqlite3'
import { StorageError } from '../../words/errors.ts'
import { errorCode } from '../../base/errors.ts'
import { openFile } from './driver.ts'
import { toStorageError } from './errors.ts'

/** Marks a file as ours (https://www.sqlite.org/pragma.html#pragma_application_id): "sshw". */
export const APPLICATION_ID = 0x73736877

/**
 * Makes this process the only one that serves from the directory of `file`, which need not exist. SQLite
 * locks an empty file beside it: the system frees it however the process ends, and readers such as a backup
 * may read. Throws `StorageError`: `locked` by another process, `other` if the file system refuses locks.
 */
export function lockDirectory(file: string): Disposable {
  const path = `${resolveFile(file)}.lock`
  let lock: (Database & Disposable) | undefined
  try {
    createPrivateFile(path)
    lock = openFile(path, { timeout: 0 })
    lock.exec('PRAGMA journal_mode = MEMORY; BEGIN EXCLUSIVE')
    return lock
  } catch (error) {
    lock?.close()
    const cause = toStorageError(error)
    if (isRefusedLock(error) && refusesLocks(path)) {
      const where = `${dirname(file)} is on a file system that refuses locks, such as NFS or SMB`
      throw new StorageError('other', `${where}; name a directory on a local disk with --data`, { cause })
    }
    if (cause.reason !== 'locked') throw cause
    const inUse = `another sshawl is using ${dirname(file)}`
    const advice = 'stop that one, or give this one another directory with --data'
    throw new StorageError('locked', `${inUse}; ${advice}`, { cause })
  }
}

/** SQLite's codes of a lock it did not get, whatever the system said (`sqliteErrorFromPosixError`). */
const isRefusedLock = (error: unknown): boolean =>
  /^SQLITE_(BUSY|PERM|IOERR_\w*LOCK)/.test(errorCode(error) ?? '')

/** True if not even a new file beside `path`, which no other process knows, can be locked. */
function refusesLocks(path: string): boolean {
  const probe = `${path}.${randomUUID()}`
  try {
    using db = openFile(probe, { timeout: 0 })
    db.exec('BEGIN EXCLUSIVE')
    return false
  } catch (error) {
    return isRefusedLock(error)
  } finally {
    rmSync(probe, { force: true })
  }
}

/** As `lockDirectory`, for a database that is opened next. Creates a missing file. Throws `StorageError`. */
export function lockFile(file: string): Disposable {
  const lock = lockDirectory(file)
  try {
    refuseStaleLog(file)
    createPrivateFile(file)
    return lock
  } catch (error) {
    lock[Symbol.dispose]()
    throw toStorageError(error)
  }
}

/**
 * Creates a missing file (0600) and directory (0700), and makes sure that it is writable and its owner's
 * alone; SQLite gives -wal and -shm files its mode. Never opens an existing file, since closing it drops this
 * process's locks (https://www.sqlite.org/howtocorrupt.html, 2.2). Throws `StorageError` and errors of
 * `node:fs`.
 */
export function createPrivateFile(file: string): void {
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 })
  const existing = statSync(file, { throwIfNoEntry: false })
  if (!existing) return closeSync(openSync(file, 'wx', 0o600))
  if (!existing.isFile()) throw new StorageError('other', `${file} is not a file; move it away`)
  accessSync(file, constants.R_OK | constants.W_OK)
  chmodSync(file, 0o600)
}

/** Resolves a link. Returns the path of a missing file unchanged. */
const resolveFile = (file: string): string => (existsSync(file) ? realpathSync(file) : file)

/** True if the log has changes that are not in the database yet: the last process did not close it. */
export const hasLog = (file: string): boolean =>
  (statSync(`${resolveFile(file)}-wal`, { throwIfNoEntry: false })?.size ?? 0) > 0

/**
 * Throws `StorageError` if a backup has replaced a database but not its log, with which SQLite would ruin the
 * backup. Call it before this process opens the database, because it opens and closes the file.
 */
function refuseStaleLog(path: string): void {
  const file = resolveFile(path)
  if (!hasLog(file)) return
  if (!existsSync(file))
    throw new StorageError(
      'other',
      `${file} is missing, and the log beside it, ${file}-wal, is of no use alone; nothing was changed: ` +
        'put the database back beside it, ' +
        'or move the log away and put a backup in place with sshawl restore FILE',
    )
  if (isWrittenWithLog(file)) return
  throw new StorageError(
    'other',
    `${file} and the log beside it, ${file}-wal, are not of the same database, and the log would ruin it; ` +
      'nothing was changed: if it is a backup, ' +
      'move it elsewhere and put it in place with sshawl restore FILE',
  )
}

/** Byte 18 is 2 with a write-ahead log, 1 by `VACUUM INTO` (https://www.sqlite.org/fileformat.html, 1.3). */
function isWrittenWithLog(file: string): boolean {
  const descriptor = openSync(file, 'r')
  try {
    const byte = Buffer.alloc(1)
    readSync(descriptor, byte, 0, 1, 18)
    return byte.readUInt8() === 2
  } finally {
    closeSync(descriptor)
  }
}

/** Opens a database, even in use. Throws `StorageError` for another database's log, and SQLite's errors. */
export function openReader(file: string, { readonly = true } = {}): Database & Disposable {
  refuseStaleLog(file)
  return openFile(file, { readonly, fileMustExist: true })
}

/** True until a table is created in it. */
export const isEmpty = (db: Database): boolean =>
  db.prepare('SELECT 1 FROM sqlite_schema LIMIT 1').get() === undefined

export const isOurs = (db: Database): boolean =>
  db.pragma('application_id', { simple: true }) === APPLICATION_ID

/** The schema of a database: how many migrations were applied to it. */
export const versionOf = (db: Database): number => Number(db.pragma('user_version', { simple: true }))
