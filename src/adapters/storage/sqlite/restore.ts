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
import { StorageError } from '../../../chat/errors.ts'
import { backupFile } from './backup.ts'
import { firstDamage } from './damage.ts'
import { lock } from './lock.ts'
import { toStorageError } from './errors.ts'
import { readMigrations } from '../migrations.ts'
import { versionOf } from './migrations.ts'
import { isEmpty, isOurs } from './open-database.ts'
import { openToRead } from './open-to-read.ts'
import { indexFile } from './search.ts'
import { hasLog } from './stale-log.ts'

/** What to put where. */
export interface RestoreOptions {
  /** The backup, which is only read. */
  readonly source: string
  /** The database that is replaced; no server may be using it. */
  readonly file: string
  readonly migrationsDir: string
  readonly now: Date
}

/**
 * Puts a copy of a backup in the place of the database, and keeps what was there under a dated name. An end at any
 * moment leaves either of the two, whole. Returns that name; undefined where there was no database. Throws
 * `StorageError`, and what SQLite and `node:fs` throw; then the database is as it was.
 */
export function restoreFile({ source, file, migrationsDir, now }: RestoreOptions): string | undefined {
  const hadDatabase = existsSync(file) || hasLog(file)
  refuseItself(source, file)
  checkBackup(source, readMigrations(migrationsDir).length)
  using _ = lock(file)
  const copy = `${file}.restoring`
  rmSync(copy, { force: true })
  backupFile(source, copy)
  const kept = hadDatabase ? keep(file, now) : undefined
  renameSync(copy, file)
  for (const end of ['', '-wal', '-shm']) rmSync(`${indexFile(file)}${end}`, { force: true })
  syncDirectory(dirname(file))
  return kept
}

function refuseItself(source: string, file: string): void {
  if (!existsSync(source) || !existsSync(file) || realpathSync(source) !== realpathSync(file)) return
  throw new StorageError(
    'other',
    `${source} is the database itself; move it elsewhere and restore it from there`,
  )
}

/** Throws if it is not a whole database of ours that this program knows. */
function checkBackup(source: string, newest: number): void {
  const there = statSync(source, { throwIfNoEntry: false })
  if (!there) throw new StorageError('other', `there is no backup ${source}; check the path`)
  if (!there.isFile())
    throw new StorageError('other', `the backup ${source} is not a file; name the file itself`)
  try {
    using db = openToRead(source)
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
  const damage = firstDamage(db)
  return damage && `is damaged (${damage}); take another`
}

/** The log goes first: beside the file that comes it would be another database's. */
function keep(file: string, now: Date): string {
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
