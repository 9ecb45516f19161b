import { closeSync, fsyncSync, linkSync, openSync, rmSync } from 'node:fs'
import { randomUUID } from 'node:crypto'
import type { Database } from 'better-sqlite3'
import { StorageError } from '../../../chat/errors.ts'
import { errorCode } from '../../../lib/errors.ts'
import { openToRead } from './open-to-read.ts'

/** Copies a database that another process may be serving from. */
export function backupFile(source: string, target: string): void {
  using db = openToRead(source)
  copyInto(db, target)
}

/**
 * Copies all that a connection sees, as one snapshot; no other connection waits. The target appears whole or not at
 * all, is the owner's alone, and never replaces a file.
 */
export function copyInto(db: Database, target: string): void {
  const partial = `${target}.${randomUUID()}.partial`
  const descriptor = openSync(partial, 'wx', 0o600)
  try {
    db.prepare('VACUUM INTO ?').run(partial)
    fsyncSync(descriptor)
    linkSync(partial, target)
  } catch (error) {
    throw errorCode(error) === 'EEXIST'
      ? new StorageError('other', `${target} is there already; choose another name`)
      : error
  } finally {
    closeSync(descriptor)
    rmSync(partial)
  }
}
