// Backs up, restores and checks a database file.

import { randomUUID } from 'node:crypto'
import {
  closeSync,
  existsSync,
  fsyncSync,
  linkSync,
  openSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
} from 'node:fs'
import { dirname } from 'node:path'
import type { Database } from 'better-sqlite3'
import { StorageError } from '../../words/errors.ts'
import { errorCode } from '../../base/errors.ts'
import { readMigrations } from '../migrations.ts'
import { PAUSE_ROUTINES } from '../stores/routines.ts'
import { toStorageError } from './errors.ts'
import { hasLog, isEmpty, isOurs, lockDirectory, openReader, versionOf } from './file.ts'
import { indexFile } from './search.ts'

/**
 * Copies a database as one snapshot. Another process may use it meanwhile and does not wait. The target
 * appears complete or not at all, has mode 0600, and never replaces a file.
 */
export function backupFile(source: string, target: string): void {
  using db = openReader(source)
  const partial = `${target}.${randomUUID()}.partial`
  const descriptor = openSync(partial, 'wx', 0o600)
  try {
    db.prepare('VACUUM INTO ?').run(partial)
    fsyncSync(descriptor)
    linkSync(partial, target)
  } catch (error) {
    if (errorCode(error) !== 'EEXIST') throw error
    throw new StorageError('other', `${target} is there already; choose another name`)
  } finally {
    closeSync(descriptor)
    rmSync(partial)
  }
}

export interface RestoreOptions {
  /** The backup, which is only read. */
  readonly source: string
  /** The database that is replaced; no server may be using it. */
  readonly file: string
  readonly migrationsDir: string
  readonly now: Date
}

/**
 * Replaces the database by a copy of a backup with all routines paused. Keeps the old one under a dated name,
 * and returns that name; undefined if there was none. If the process dies, one of the two is complete. Throws
 * `StorageError`, and errors of SQLite and `node:fs`; then the database is as it was.
 */
export function restoreFile({ source, file, migrationsDir, now }: RestoreOptions): string | undefined {
  const hadDatabase = existsSync(file) || hasLog(file)
  checkBackup(source, file, readMigrations(migrationsDir).length)
  using _ = lockDirectory(file)
  const copy = `${file}.restoring`
  rmSync(copy, { force: true })
  backupFile(source, copy)
  pauseRoutines(copy)
  const kept = hadDatabase ? keepDatabase(file, now) : undefined
  renameSync(copy, file)
  for (const end of ['', '-wal', '-shm']) rmSync(`${indexFile(file)}${end}`, { force: true })
  syncDirectory(dirname(file))
  return kept
}

/** Does nothing in a database of an older version, which has none. */
function pauseRoutines(file: string): void {
  using db = openReader(file, { readonly: false })
  if (db.prepare("SELECT 1 FROM sqlite_schema WHERE name = 'routines'").get()) db.exec(PAUSE_ROUTINES)
}

/** Throws `StorageError` if the source is not a whole database of ours that this program knows. */
function checkBackup(source: string, file: string, newest: number): void {
  const status = statSync(source, { throwIfNoEntry: false })
  if (!status) throw new StorageError('other', `there is no backup ${source}; check the path`)
  if (!status.isFile())
    throw new StorageError('other', `the backup ${source} is not a file; name the file itself`)
  if (existsSync(file) && realpathSync(source) === realpathSync(file))
    throw new StorageError(
      'other',
      `${source} is the database itself; move it elsewhere and restore it from there`,
    )
  try {
    using db = openReader(source)
    const problem = problemWith(db, newest)
    if (problem) throw new StorageError('other', `the backup ${source} ${problem}`)
  } catch (error) {
    if (error instanceof StorageError) throw error
    const { reason } = toStorageError(error)
    const problem = reason === 'corrupt' ? 'is damaged, or not a database; take another' : 'cannot be read'
    throw new StorageError(reason, `the backup ${source} ${problem}`, { cause: error })
  }
}

function problemWith(db: Database, newest: number): string | undefined {
  if (isEmpty(db)) return 'is empty; name another'
  if (!isOurs(db)) return "is another program's database; name one that sshawl backup made"
  if (versionOf(db) > newest)
    return 'was written by a newer sshawl; restore it with that one, or take an older'
  const damage = findDamage(db)
  return damage && `is damaged (${damage}); take another`
}

/** Moves the log first, since beside the new file it would be another database's. */
function keepDatabase(file: string, now: Date): string {
  const kept = `${file}.before-${now.toISOString().replace(/[:.]/g, '-')}`
  for (const end of ['-wal', '-shm'])
    if (existsSync(`${file}${end}`)) renameSync(`${file}${end}`, `${kept}${end}`)
  if (existsSync(file)) linkSync(file, kept)
  return kept
}

function syncDirectory(path: string): void {
  const descriptor = openSync(path, 'r')
  fsyncSync(descriptor)
  closeSync(descriptor)
}

/** Returns the first problem of a database; undefined if there is none. Reads every page. */
export function findDamage(db: Database): string | undefined {
  const found = db.pragma('main.integrity_check(1)', { simple: true })
  // SQLite prints a line with the name of the database before problems of its pages; it is removed.
  return found === 'ok'
    ? undefined
    : String(found)
        .replace(/^\*\*\* in database .*\n/, '')
        .split('\n', 1)[0]
}

/** Stores the version once more. A transaction that changes nothing would succeed on a full disk. */
export const storeOnePage = (db: Database): void => void db.pragma(`user_version = ${versionOf(db)}`)

/** Returns free pages to the system. False once none are left, and for old files, which cannot shrink. */
export function releasePages(db: Database, most: number): boolean {
  if (db.pragma('auto_vacuum', { simple: true }) !== INCREMENTAL) return false
  db.pragma(`incremental_vacuum(${most})`)
  return Number(db.pragma('freelist_count', { simple: true })) > 0
}

/** https://www.sqlite.org/pragma.html#pragma_auto_vacuum */
const INCREMENTAL = 2
