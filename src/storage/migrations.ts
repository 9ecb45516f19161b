import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import glob from 'fast-glob'
import { StorageError } from '../words/errors.ts'

export interface Migration {
  /** The schema version after this migration: 1, 2, 3, … */
  readonly version: number
  /** The file's name. */
  readonly name: string
  readonly sql: string
  /** The file's hash in hex, which reveals if an applied migration was edited. */
  readonly sha256: string
}

/** The migrations of a directory, in order. Throws `StorageError` if it has none or a number is missing. */
export function readMigrations(dir: string): readonly Migration[] {
  const names = listFiles(dir).toSorted()
  if (names.length === 0)
    throw new StorageError(
      'other',
      `${dir}: there are no migrations (001-….sql) in this directory; install sshawl again`,
    )
  return names.map((name, index) => {
    const path = join(dir, name)
    const version = index + 1
    if (Number.parseInt(name, 10) !== version)
      throw new StorageError(
        'other',
        `${path}: migration ${version} should stand here; number them without gaps`,
      )
    const sql = readFileSync(path, 'utf8')
    return { version, name, sql, sha256: createHash('sha256').update(sql).digest('hex') }
  })
}

/** Empty for a missing directory. Links without a target are listed, so that they fail when they are read. */
function listFiles(dir: string): readonly string[] {
  try {
    return glob.sync('[0-9][0-9][0-9]*([0-9])-*.sql', { cwd: dir, onlyFiles: false })
  } catch (cause) {
    throw new StorageError('other', `${dir}: cannot read the migrations`, { cause })
  }
}

export const newerSchema = (newest: number, version: number): StorageError =>
  new StorageError(
    'newer',
    `the database has schema ${version}, written by a newer sshawl; this one knows up to ${newest}: ` +
      'run the newer one, or restore a backup from before it',
  )

export const editedMigration = ({ name }: Migration): StorageError =>
  new StorageError(
    'other',
    `${name}: edited after it was applied to this database; restore it and add a new migration`,
  )

export const otherSchema = (): StorageError =>
  new StorageError(
    'other',
    'the database is of another version of sshawl; start this version once, and try again then',
  )
