import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { NO_LOG } from '../../src/wrap/embedding/context.ts'
import type { StorageOptions } from '../../src/storage/open.ts'
import { createSqliteDatabase } from '../../src/storage/sqlite/database.ts'
import { openFile } from '../../src/storage/sqlite/driver.ts'
import { readMigrations } from '../../src/storage/migrations.ts'
import { openDatabase } from '../../src/storage/sqlite/open.ts'
import { createStores } from '../../src/storage/sqlite/stores.ts'
import type { Storage } from '../../src/storage/storage.ts'
import type { EntryId, MessageEntry, RoomName } from '../../src/words/entry.ts'
import type { RoomRecord } from '../../src/chat/ports.ts'
import { paths } from '../../src/base/paths.ts'

/** A directory of one's own, gone with all that is in it when disposed of. */
export function temporaryDir() {
  const path = mkdtempSync(join(tmpdir(), 'sshawl-'))
  return { path, [Symbol.dispose]: () => rmSync(path, { recursive: true, force: true }) }
}

/** How to open a database of the bundled schema in a directory, with a clock that stands still. */
export const sqliteOptions = (dir: string): StorageOptions => ({
  file: join(dir, 'sshawl.db'),
  migrationsDir: paths.migrations,
  clock: { now: () => 1_700_000_000_000 },
  log: NO_LOG,
  busyMs: 10,
})

let migrated: Buffer | undefined

/** The bytes of an empty database of the bundled schema. Each migration runs once for all tests of a worker. */
export const emptyDatabase = (): Buffer => (migrated ??= migratedBytes())

function migratedBytes(): Buffer {
  const { migrationsDir, clock, busyMs = 0 } = sqliteOptions('')
  const now = (): number => clock.now()
  const db = openDatabase({ file: ':memory:', migrations: readMigrations(migrationsDir), busyMs, now })
  try {
    return db.serialize()
  } finally {
    db.close()
  }
}

/** An empty store that ends with the test. It is a copy of one: all migrations take longer than the rest of many a test. */
export async function openInMemory(): Promise<Storage> {
  const db = openFile(emptyDatabase())
  db.pragma('trusted_schema = OFF')
  db.pragma('foreign_keys = ON')
  const database = createSqliteDatabase(db)
  return {
    ...createStores(database),
    async [Symbol.asyncDispose]() {
      await database.close()
    },
  }
}

export const message = (id: string, room: string, text: string): MessageEntry => ({
  id: id as EntryId,
  at: 1_700_000_000_000,
  room: room as RoomName,
  kind: 'message',
  author: 'alice',
  text,
})

/** A public room without an owner, but for what is said otherwise. */
export const room = (name: string, more: Partial<RoomRecord>): RoomRecord => ({
  name: name as RoomName,
  topic: '',
  vibe: '',
  private: false,
  owner: null,
  createdAt: 0,
  ...more,
})
