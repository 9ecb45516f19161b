import { closeSync, fsyncSync, linkSync, openSync, rmSync } from 'node:fs'
import { randomUUID } from 'node:crypto'
import type { Database } from 'better-sqlite3'
import { StorageError } from '../../../chat/errors.ts'
import { openFile } from './driver.ts'

/** Copies a database that is in use by this process, a thousand pages at a time, to a new file. */
export async function backupOpen(db: Database, target: string): Promise<void> {
  await intoNewFile(target, async (file) => {
    await db.backup(file, { progress: () => 1000 })
  })
}

/** Copies a database that another process may be serving from: one snapshot, and nobody waits. */
export async function backupFile(source: string, target: string): Promise<void> {
  const db = openFile(source, { readonly: true, fileMustExist: true })
  try {
    await intoNewFile(target, async (file) => void db.prepare('VACUUM INTO ?').run(file))
  } finally {
    db.close()
  }
}

/** The target appears whole or not at all, is the owner's alone, and never replaces a file. */
async function intoNewFile(target: string, fill: (file: string) => Promise<void>): Promise<void> {
  const partial = `${target}.${randomUUID()}.partial`
  const descriptor = openSync(partial, 'wx', 0o600)
  try {
    await fill(partial)
    fsyncSync(descriptor)
    linkSync(partial, target)
  } catch (error) {
    throw isTaken(error)
      ? new StorageError('other', `${target} is there already; choose another name`)
      : error
  } finally {
    closeSync(descriptor)
    rmSync(partial)
  }
}

const isTaken = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && error.code === 'EEXIST'
