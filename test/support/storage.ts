import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openStorage, type StorageOptions } from '../../src/adapters/storage/open.ts'
import type { Storage } from '../../src/adapters/storage/storage.ts'
import type { EntryId, MessageEntry, RoomName } from '../../src/chat/entry.ts'
import type { Log, RoomRecord } from '../../src/chat/ports.ts'
import { paths } from '../../src/app/paths.ts'

/** A directory of one's own, gone with all that is in it when disposed of. */
export interface TemporaryDir extends Disposable {
  readonly path: string
}

/** Makes one. */
export function temporaryDir(): TemporaryDir {
  const path = mkdtempSync(join(tmpdir(), 'sshawl-'))
  return { path, [Symbol.dispose]: () => rmSync(path, { recursive: true, force: true }) }
}

const silent: Log = { debug() {}, info() {}, warn() {}, error() {} }

/** How to open a database of the bundled schema in a directory, with a clock that stands still. */
export const sqliteOptions = (dir: string): StorageOptions => ({
  file: join(dir, 'sshawl.db'),
  migrationsDir: paths.migrations,
  clock: { now: () => 1_700_000_000_000 },
  log: silent,
  busyMs: 10,
})

/** An empty store that ends with the test. */
export const openInMemory = (): Promise<Storage> => openStorage({ ...sqliteOptions(''), file: ':memory:' })

/** An empty store in a file, worked on by threads, as in the server. */
export async function openInThreads(): Promise<Storage> {
  const dir = temporaryDir()
  const storage = await openStorage({ ...sqliteOptions(dir.path), threadEntry: paths.storageThread })
  return {
    ...storage,
    async [Symbol.asyncDispose]() {
      await storage[Symbol.asyncDispose]()
      dir[Symbol.dispose]()
    },
  }
}

/** A message by alice. */
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
