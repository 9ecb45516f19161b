import type { Database } from 'better-sqlite3'
import { StorageError } from '../../../chat/errors.ts'
import { type AuditRow, OTHER_VERSION, rightsQueries } from '../rights.ts'
import { versionOf } from './migrations.ts'

/** Throws `StorageError` if the database is not of schema `version`, and what SQLite throws. */
export function rightsIn(db: Database, version: number, now: number): readonly AuditRow[] {
  if (versionOf(db) !== version) throw new StorageError('other', OTHER_VERSION)
  const queries = rightsQueries(now, (list) => `SELECT value FROM json_each(${list})`)
  return db.transaction(() => queries.flatMap((query) => db.prepare<[], AuditRow>(query).all()))()
}
