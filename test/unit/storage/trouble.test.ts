import { readFileSync, statSync } from 'node:fs'
import type { Database } from 'better-sqlite3'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { setImmediate as nextTick } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { openStorage } from '../../../src/storage/open.ts'
import { TRUNCATE_AFTER_MS, createSqliteDatabase } from '../../../src/storage/sqlite/database.ts'
import { openFile } from '../../../src/storage/sqlite/driver.ts'
import { readMigrations } from '../../../src/storage/migrations.ts'
import { openDatabase } from '../../../src/storage/sqlite/open.ts'
import { createRoomStore } from '../../../src/storage/stores/rooms.ts'
import { createStores } from '../../../src/storage/sqlite/stores.ts'
import { searchTerms } from '../../../src/chat/text/input-text.ts'
import type { Entry, RoomName } from '../../../src/words/entry.ts'
import { paths } from '../../../src/base/paths.ts'
import { createReadiness } from '../../../src/server/http.ts'
import type { PersonId } from '../../../src/words/person.ts'
import { idOf } from '../../contract/storage/cast.ts'
import { message, room, sqliteOptions, temporaryDir } from '../../support/storage.ts'
import { tinyDisk } from '../../support/tiny-disk.ts'

const lobby = 'lobby' as RoomName

function openMigrated(file: string): Database {
  return openDatabase({ file, migrations: readMigrations(paths.migrations), busyMs: 10, now: () => 0 })
}

test('a full disk rejects the whole group of writes, and later writes succeed when there is space', async () => {
  using dir = temporaryDir()
  const database = createSqliteDatabase(openMigrated(sqliteOptions(dir.path).file))
  const { entries } = createStores(database).chat
  const pages = database.file.pragma('page_count', { simple: true }) as number
  database.file.pragma(`max_page_count = ${pages + 5}`)
  const attempts = ['1', '2'].map((id) => entries.append(message(id, lobby, 'x'.repeat(40_000))))
  for (const result of await Promise.allSettled(attempts)) {
    expect(result).toMatchObject({
      reason: {
        name: 'StorageError',
        reason: 'full',
        message: expect.stringContaining('free some space') as string,
      },
    })
  }
  expect(await entries.read(lobby, { limit: 9 })).toEqual([])
  database.file.pragma('max_page_count = 100000')
  await entries.append(message('3', lobby, 'room again'))
  expect(await entries.lastId()).toBe('3')
  await database.close()
})

const disk = tinyDisk()

test.skipIf(disk === undefined)(
  'a full disk is reported by the readiness check, which itself uses no space',
  async ({ onTestFinished }) => {
    onTestFinished(() => disk?.[Symbol.dispose]())
    const options = sqliteOptions(disk?.path ?? '')
    await using storage = await openStorage(options)
    const sizeOf = (): number => statSync(options.file).size
    const before = sizeOf()
    for (let asked = 0; asked < 50; asked += 1) await storage.upkeep.health()
    expect(sizeOf()).toBe(before)
    const filler = disk?.fill()
    await expect(storage.chat.entries.append(message('1', lobby, 'x'))).rejects.toMatchObject({
      reason: 'full',
    })
    const why = createReadiness(storage.upkeep, () => 0)
    expect(await why()).toBe('nothing can be stored just now: the disk is full')
    const search = storage.chat.entries.search({ rooms: [lobby], terms: searchTerms('said'), limit: 1 })
    await expect(search).rejects.toMatchObject({
      reason: 'full',
      reading: true,
      message:
        'there is no index to search yet, and none can be made: the disk is full; free some space and try again; /history works meanwhile',
    })
    filler?.free()
    await expect(storage.upkeep.health()).resolves.toBeUndefined()
    await expect(storage.chat.entries.append(message('1', lobby, 'x'))).resolves.toEqual({ id: '1' })
    expect(
      await storage.chat.entries.search({ rooms: [lobby], terms: searchTerms('x'), limit: 1 }),
    ).toMatchObject({ entries: [{ id: '1' }] })
  },
)

test('a read-only database serves reads and rejects writes', async () => {
  using dir = temporaryDir()
  const { file } = sqliteOptions(dir.path)
  const writable = openMigrated(file)
  const { entries } = createStores(createSqliteDatabase(openFile(file, { readonly: true }))).chat
  await expect(entries.append(message('1', lobby, 'x'))).rejects.toMatchObject({ reason: 'read-only' })
  expect(await entries.read(lobby, { limit: 9 })).toEqual([])
  writable.close()
})

test('damage that is found only by a read is reported as corrupt', async () => {
  using dir = temporaryDir()
  const database = createSqliteDatabase(openMigrated(sqliteOptions(dir.path).file))
  await createRoomStore(database).create(room('den', {}))
  const { file: db } = database
  db.unsafeMode()
  db.pragma('writable_schema = ON')
  db.exec(
    "UPDATE sqlite_schema SET rootpage = (SELECT rootpage FROM sqlite_schema WHERE name = 'members') WHERE name = 'rooms'",
  )
  db.pragma('writable_schema = RESET')
  const reopened = openFile(sqliteOptions(dir.path).file)
  await database.close()
  const rooms = createRoomStore(createSqliteDatabase(reopened))
  await expect(rooms.all()).rejects.toMatchObject({ name: 'StorageError', reason: 'corrupt' })
  reopened.close()
})

test('appends of one tick share one transaction', async () => {
  using dir = temporaryDir()
  const commits: string[] = []
  const { file } = sqliteOptions(dir.path)
  openMigrated(file).close()
  const verbose = (sql?: unknown): void => void (String(sql) === 'COMMIT' && commits.push(String(sql)))
  const database = createSqliteDatabase(openFile(file, { verbose }))
  const { entries } = createStores(database).chat
  await Promise.all(Array.from({ length: 50 }, (_, n) => entries.append(message(idOf(n), lobby, 'x'))))
  expect(commits).toHaveLength(1)
  await database.close()
})

test('a write that fails among 500 concurrent ones fails alone, and the others keep their order', async () => {
  using dir = temporaryDir()
  const database = createSqliteDatabase(openMigrated(sqliteOptions(dir.path).file))
  const { entries } = createStores(database).chat
  const ids = Array.from({ length: 500 }, (_, n) => idOf(n))
  const results = await Promise.allSettled(
    ids.map((id, n) =>
      n === 250
        ? database.write(async () => database.file.exec('INSERT INTO name_rules (rules) VALUES (NULL)'))
        : entries.append(message(id, lobby, id)),
    ),
  )
  expect(results.flatMap(({ status }, n) => (status === 'rejected' ? [n] : []))).toEqual([250])
  const stored = await entries.read(lobby, { limit: 1_000 })
  expect(stored.map(({ id }) => id)).toEqual(ids.toSpliced(250, 1))
  await database.close()
})

test('a write that waits for a timer is rolled back, and concurrent writes are stored', async () => {
  using dir = temporaryDir()
  const database = createSqliteDatabase(openMigrated(sqliteOptions(dir.path).file))
  const { entries } = createStores(database).chat
  const [before, waiting, after] = await Promise.allSettled([
    entries.append(message('1', lobby, 'before')),
    database.write(async () => {
      database.file.exec("INSERT INTO name_rules (rules) VALUES ('x')")
      await new Promise((resolve) => setTimeout(resolve, 1))
    }),
    entries.append(message('3', lobby, 'after')),
  ])
  expect([before.status, after.status]).toEqual(['fulfilled', 'fulfilled'])
  expect(waiting).toMatchObject({
    reason: {
      name: 'StorageError',
      message: expect.stringContaining('something other than the database') as string,
    },
  })
  expect(database.file.prepare('SELECT * FROM name_rules').all()).toEqual([])
  await database.close()
})

test('a read during a group of writes sees no uncommitted rows', async () => {
  using dir = temporaryDir()
  const database = createSqliteDatabase(openMigrated(sqliteOptions(dir.path).file))
  let seen: Promise<unknown> | undefined
  const count = (): unknown => database.file.prepare('SELECT count(*) FROM name_rules').pluck().get()
  const refused = database.write(async () => {
    database.file.exec("INSERT INTO name_rules (rules) VALUES ('x')")
    seen = database.read(async () => count())
    throw new Error('undone')
  })
  await expect(refused).rejects.toMatchObject({ name: 'StorageError' })
  expect(await seen).toBe(0)
  await database.close()
})

test('the writer connection has the pragmas for synced commits and erased deletions', () => {
  using dir = temporaryDir()
  const db = openMigrated(sqliteOptions(dir.path).file)
  const pragmas = ['journal_mode', 'synchronous', 'secure_delete', 'trusted_schema', 'foreign_keys']
  expect(pragmas.map((name) => db.pragma(name, { simple: true }))).toEqual(['wal', 2, 1, 0, 1])
  expect(db.pragma('journal_size_limit', { simple: true })).toBe(67_108_864)
  db.close()
})

describe('storage in threads', () => {
  const DYING = fileURLToPath(new URL('../../support/dying-storage-thread.mjs', import.meta.url))
  const lobby = 'lobby' as RoomName
  const inThreads = (dir: string) => ({ ...sqliteOptions(dir), threadEntry: paths.storageThread })

  test('writes wait while another program locks the database, and reads go on', async () => {
    using dir = temporaryDir()
    const options = { ...inThreads(dir.path), busyMs: 500 }
    await using storage = await openStorage(options)
    await storage.chat.entries.append(message('1', lobby, 'before'))
    // The thread that reads starts with the first entry.
    await storage.chat.entries.read(lobby, { limit: 9 })
    const other = openFile(options.file)
    other.exec('BEGIN IMMEDIATE')
    let isRefused = false
    const refused = expect(
      storage.chat.entries.append(message('2', lobby, 'x')).finally(() => (isRefused = true)),
    )
    for (let tick = 0; tick < 5; tick++) await nextTick()
    expect(await storage.chat.entries.read(lobby, { limit: 9 })).toHaveLength(1)
    expect(isRefused).toBe(false)
    await refused.rejects.toMatchObject({ name: 'StorageError', reason: 'locked' })
    other.close()
    await expect(storage.upkeep.health()).resolves.toBeUndefined()
  })

  test('a dead storage thread is logged, its pending writes are rejected and the next call restarts it', async () => {
    using dir = temporaryDir()
    const said: string[] = []
    const log = { debug() {}, info() {}, warn() {}, error: (_: object, text: string) => void said.push(text) }
    await using storage = await openStorage({ ...sqliteOptions(dir.path), log, threadEntry: DYING })
    await storage.chat.entries.append(message('1', lobby, 'acknowledged'))
    const last = ['2', '3'].map((id) => storage.chat.entries.append(message(id, lobby, `die now ${id}`)))
    for (const outcome of await Promise.allSettled(last)) {
      expect(outcome).toMatchObject({
        reason: { name: 'StorageError', message: expect.stringContaining('started again') as string },
      })
    }
    expect(said).toEqual(['a storage thread ended; the next call starts another'])
    await storage.chat.entries.append(message('4', lobby, 'goes on'))
    const texts = (await storage.chat.entries.read(lobby, { limit: 9 })).map(({ text }) => text)
    expect(texts).toEqual(['acknowledged', 'goes on'])
  })

  test('a write with a value that cannot be sent to the storage thread is rejected alone', async () => {
    using dir = temporaryDir()
    await using storage = await openStorage(inThreads(dir.path))
    const odd = { ...message('2', lobby, 'x'), extra: () => 'a function' } as Entry
    const [before, failing, after] = await Promise.allSettled([
      storage.chat.entries.append(message('1', lobby, 'before')),
      storage.chat.entries.append(odd),
      storage.chat.entries.append(message('3', lobby, 'after')),
    ])
    expect([before.status, after.status]).toEqual(['fulfilled', 'fulfilled'])
    expect(failing).toMatchObject({ reason: { name: 'StorageError', reason: 'other' } })
  })

  test('a storage thread reports why the database cannot be opened, and releases the directory', async () => {
    using dir = temporaryDir()
    const options = inThreads(dir.path)
    openFile(options.file).exec('CREATE TABLE theirs (a); PRAGMA user_version = 1').close()
    const theirs = { name: 'StorageError', message: expect.stringContaining("another program's") as string }
    await expect(openStorage(options)).rejects.toMatchObject(theirs)
    await expect(openStorage(options)).rejects.toMatchObject(theirs)
  })

  test('a closed threaded storage has stored pending writes and rejects new ones', async () => {
    using dir = temporaryDir()
    const options = inThreads(dir.path)
    const storage = await openStorage(options)
    await storage.chat.rooms.all()
    const underWay = storage.chat.entries.append(message('1', lobby, 'last words'))
    const read = storage.chat.rooms.all()
    await storage[Symbol.asyncDispose]()
    await Promise.all([underWay, read])
    await expect(storage.chat.entries.append(message('2', lobby, 'x'))).rejects.toThrow(
      'the server is stopping',
    )
    await using again = await openStorage(options)
    expect(await again.chat.entries.lastId()).toBe('1')
  })
})

describe('the log of the database', () => {
  beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] }))
  afterEach(() => void vi.useRealTimers())

  const [alice, bob] = ['alice', 'bob'] as [PersonId, PersonId]
  const LIMITS = { forOne: 1000, fromOne: 1000, inAll: 1000, notBefore: 0 }
  const SECRET = 'the cake is in the attic'

  /** A database with a message to bob that bob has read, whose text is in the log alone. */
  async function withReadMessage(dir: string) {
    const { file } = sqliteOptions(dir)
    const db = openDatabase({ file, migrations: readMigrations(paths.migrations), busyMs: 10, now: () => 0 })
    const database = createSqliteDatabase(db)
    const stores = createStores(database)
    await stores.chat.people.register(
      { id: bob, name: 'bob', admin: false, guest: false },
      'bob',
      undefined,
      0,
      8,
    )
    const from = { id: alice, name: 'alice', guest: false }
    const send = async (id: string): Promise<void> => {
      expect(
        await stores.talk.messages.put({ id, to: bob, from, at: 1, text: `${SECRET} ${id}` }, LIMITS),
      ).toBe(true)
      await stores.talk.messages.remove([id])
    }
    await send('1')
    const read = (suffix: string): string => readFileSync(file + suffix, 'latin1')
    return { file, db, database, stores, send, read }
  }

  test('a direct message that was read is soon erased from the database and its log', async () => {
    using dir = temporaryDir()
    const { database, read } = await withReadMessage(dir.path)
    expect(read('-wal')).toContain(SECRET)
    vi.advanceTimersByTime(TRUNCATE_AFTER_MS)
    expect(read('-wal')).toBe('')
    expect(read('')).not.toContain(SECRET)
    await database.close()
  })

  test('writes go on while a reader blocks the log, and the log is truncated after the reader is done', async () => {
    using dir = temporaryDir()
    const { file, database, send, read } = await withReadMessage(dir.path)
    const reader = openFile(file, { readonly: true })
    reader.exec('BEGIN; SELECT count(*) FROM people')
    vi.advanceTimersByTime(TRUNCATE_AFTER_MS)
    expect(read('-wal')).toContain(SECRET)
    await send('2')
    expect(database.file.pragma('busy_timeout', { simple: true })).toBe(10)
    reader.exec('COMMIT')
    vi.advanceTimersByTime(TRUNCATE_AFTER_MS)
    expect(read('-wal')).toBe('')
    reader.close()
    await database.close()
  })

  test('three hundred deletions cause one log truncation, and writes without deletions cause none', async () => {
    using dir = temporaryDir()
    const { file, db, database, stores, send } = await withReadMessage(dir.path)
    const asked = vi.spyOn(db, 'pragma')
    const emptyings = (): number =>
      asked.mock.calls.filter(([text]) => text.includes('wal_checkpoint')).length
    for (let n = 2; n < 302; n++) await send(String(n))
    vi.advanceTimersByTime(TRUNCATE_AFTER_MS)
    expect(emptyings()).toBe(1)
    await stores.chat.people.claimAdmin(bob)
    vi.advanceTimersByTime(100 * TRUNCATE_AFTER_MS)
    expect(emptyings()).toBe(1)
    expect(statSync(`${file}-wal`).size).toBeGreaterThan(0)
    await send('302')
    await database.close()
    vi.advanceTimersByTime(TRUNCATE_AFTER_MS)
    expect(emptyings()).toBe(1)
  })
})
