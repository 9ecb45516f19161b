import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { StorageError } from '../../chat/errors.ts'

/** A numbered change of the schema. */
export interface Migration {
  /** 1, 2, 3, …: the schema after it. */
  readonly version: number
  /** The file's name. */
  readonly name: string
  readonly sql: string
  /** Of the file, in hex: a migration that was applied is never edited. */
  readonly sha256: string
}

/** The migrations of a directory, in order. Throws `StorageError` if it cannot be read or a number is missing. */
export function readMigrations(dir: string): readonly Migration[] {
  const names = namesIn(dir).toSorted()
  return names.map((name, index) => {
    if (Number.parseInt(name, 10) !== index + 1) throw misnumbered(dir, name, index + 1)
    const sql = readFileSync(join(dir, name), 'utf8')
    return { version: index + 1, name, sql, sha256: createHash('sha256').update(sql).digest('hex') }
  })
}

function namesIn(dir: string): string[] {
  try {
    return readdirSync(dir).filter((name) => /^\d{3,}-.*\.sql$/.test(name))
  } catch (cause) {
    throw new StorageError('other', `${dir}: cannot read the migrations`, { cause })
  }
}

const misnumbered = (dir: string, name: string, expected: number): StorageError =>
  new StorageError(
    'other',
    `${join(dir, name)}: migration ${expected} should stand here; number them without gaps`,
  )

/** That a database has a schema after the newest of this program. */
export const newerThan = (newest: number, version: number): StorageError =>
  new StorageError(
    'newer',
    `the database has schema ${version}, written by a newer sshawl; this one knows up to ${newest}: run the newer one, or restore a backup from before it`,
  )

/** That a migration is not any more what was applied. */
export const edited = ({ name }: Migration): StorageError =>
  new StorageError(
    'other',
    `${name}: edited after it was applied to this database; restore it and add a new migration`,
  )
