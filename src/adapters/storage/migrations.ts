import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import glob from 'fast-glob'
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

/** The migrations of a directory, in order. Throws `StorageError` if it has none or a number is missing. */
export function readMigrations(dir: string): readonly Migration[] {
  const names = namesIn(dir).toSorted()
  return names.map((name, index) => {
    if (Number.parseInt(name, 10) !== index + 1) throw misnumbered(dir, name, index + 1)
    const sql = readFileSync(join(dir, name), 'utf8')
    return { version: index + 1, name, sql, sha256: createHash('sha256').update(sql).digest('hex') }
  })
}

function namesIn(dir: string): string[] {
  const names = listed(dir)
  if (names.length > 0) return names
  throw new StorageError(
    'other',
    `${dir}: there are no migrations (001-….sql) in this directory; install sshawl again`,
  )
}

/** fast-glob gives an empty list for a missing directory. What is no file is told when it is read. */
function listed(dir: string): string[] {
  try {
    return glob.sync('[0-9][0-9][0-9]*([0-9])-*.sql', { cwd: dir, onlyFiles: false })
  } catch (cause) {
    throw new StorageError('other', `${dir}: cannot read the migrations`, { cause })
  }
}

const misnumbered = (dir: string, name: string, expected: number): StorageError =>
  new StorageError(
    'other',
    `${join(dir, name)}: migration ${expected} should stand here; number them without gaps`,
  )
