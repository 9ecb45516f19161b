import {
  closeSync,
  existsSync,
  fsyncSync,
  linkSync,
  openSync,
  realpathSync,
  renameSync,
  rmSync,
} from 'node:fs'
import { dirname } from 'node:path'
import { StorageError } from '../../../chat/errors.ts'
import { backupFile } from './backup.ts'
import { openFile } from './driver.ts'
import { firstDamage } from './damage.ts'
import { lock } from './lock.ts'
import { readMigrations, refuseNewer } from './migrations.ts'
import { isEmpty, refuseForeign } from './open-database.ts'
import { indexFile } from './search/search-index.ts'
import { refuseStaleLog } from './stale-log.ts'

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
  const hadDatabase = existsSync(file)
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
  if (existsSync(source)) refuseStaleLog(source)
  const db = openFile(source, { readonly: true, fileMustExist: true })
  try {
    if (isEmpty(db)) throw new StorageError('other', `${source} is empty; name a backup`)
    refuseForeign(db, source)
    refuseNewer(db, newest)
    const damage = firstDamage(db)
    if (damage) throw new StorageError('corrupt', `${source} is damaged (${damage}); take another backup`)
  } finally {
    db.close()
  }
}

/** The log goes first: beside the file that comes it would be another database's. */
function keep(file: string, now: Date): string {
  const kept = `${file}.before-${now.toISOString().replace(/[:.]/g, '-')}`
  for (const end of ['-wal', '-shm'])
    if (existsSync(`${file}${end}`)) renameSync(`${file}${end}`, `${kept}${end}`)
  linkSync(file, kept)
  return kept
}

function syncDirectory(path: string): void {
  const descriptor = openSync(path, 'r')
  fsyncSync(descriptor)
  closeSync(descriptor)
}
