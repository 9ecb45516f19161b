import type { Database } from 'better-sqlite3'
import { StorageError } from '../../../chat/errors.ts'
import { openFile } from './driver.ts'
import { vitalDamage } from './damage.ts'
import type { Migration } from '../migrations.ts'
import { migrate } from './migrations.ts'

/** How to open a database file. */
export interface DatabaseOptions {
  readonly file: string
  readonly migrations: readonly Migration[]
  /** How long to wait for another program's lock, with everything else standing still. */
  readonly busyMs: number
  /** Milliseconds since the epoch: when a migration was applied. */
  readonly now: () => number
}

/** Marks a file as ours (https://www.sqlite.org/pragma.html#pragma_application_id): "sshw". */
const APPLICATION_ID = 0x73736877

/**
 * Opens the file, or makes it, and brings it to the newest schema. A file that is not ours, or newer than we
 * are, is left as it was. Throws `StorageError`, or what SQLite or the file system throws.
 */
export function openDatabase({ file, migrations, busyMs, now }: DatabaseOptions): Database {
  const db = openFile(file, { timeout: busyMs })
  try {
    if (isEmpty(db)) db.pragma(`application_id = ${APPLICATION_ID}`)
    refuseForeign(db, file)
    refuseDamaged(db, file)
    keepSafe(db)
    migrate(db, migrations, now)
    db.pragma('foreign_keys = ON')
    return db
  } catch (error) {
    db.close()
    throw error
  }
}

/**
 * Opens a database that is of the newest schema already, for reading only, or to search it, which writes to the index
 * beside it. Throws what SQLite throws.
 */
export const openBeside = (file: string, busyMs: number, use: 'read' | 'search'): Database =>
  openFile(file, { readonly: use === 'read', fileMustExist: true, timeout: busyMs })

/** True before anything was made in it. */
export const isEmpty = (db: Database): boolean =>
  db.prepare('SELECT 1 FROM sqlite_schema LIMIT 1').get() === undefined

/** Throws `StorageError` if the database was not made by this program. */
function refuseForeign(db: Database, file: string): void {
  if (!isOurs(db))
    throw new StorageError('other', `${file} is another program's database; choose another data directory`)
}

/** True if the database was made by this program. */
export const isOurs = (db: Database): boolean =>
  db.pragma('application_id', { simple: true }) === APPLICATION_ID

/** Throws `StorageError` if people could not come in: a server that starts all the same helps nobody. */
function refuseDamaged(db: Database, file: string): void {
  const damage = vitalDamage(db)
  if (damage === undefined) return
  throw new StorageError(
    'corrupt',
    `${file} is damaged (${damage}); put a backup in its place with sshawl restore FILE`,
  )
}

/** FULL syncs the log at each commit: what was acknowledged survives a power cut, not only a crash. */
function keepSafe(db: Database): void {
  db.pragma('journal_mode = WAL')
  db.pragma('synchronous = FULL')
  // What is deleted, such as a message to one person that was read, is in no copy of the file.
  db.pragma('secure_delete = ON')
  db.pragma('trusted_schema = OFF')
  db.pragma('journal_size_limit = 67108864')
}
