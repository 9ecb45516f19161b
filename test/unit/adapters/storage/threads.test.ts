import { setImmediate as nextTick } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { openStorage } from '../../../../src/adapters/storage/open.ts'
import { openFile } from '../../../../src/adapters/storage/sqlite/driver.ts'
import { paths } from '../../../../src/app/paths.ts'
import type { Entry, RoomName } from '../../../../src/chat/entry.ts'
import { message, sqliteOptions, temporaryDir } from '../../../support/storage.ts'

const DYING = fileURLToPath(new URL('../../../support/dying-storage-thread.mjs', import.meta.url))
const lobby = 'lobby' as RoomName
const inThreads = (dir: string) => ({ ...sqliteOptions(dir), threadEntry: paths.storageThread })

test('while another program holds the database, writers wait and nobody else does', async () => {
  using dir = temporaryDir()
  const options = { ...inThreads(dir.path), busyMs: 500 }
  await using storage = await openStorage(options)
  await storage.chat.entries.append(message('1', lobby, 'before'))
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

test('a thread that dies is said, what it had not acknowledged is refused, and the next call starts another', async () => {
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

test('a value that cannot go to another thread is refused alone', async () => {
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

test('a database that cannot be opened is the same error as in the caller’s thread, and the directory is free again', async () => {
  using dir = temporaryDir()
  const options = inThreads(dir.path)
  openFile(options.file).exec('CREATE TABLE theirs (a); PRAGMA user_version = 1').close()
  const theirs = { name: 'StorageError', message: expect.stringContaining("another program's") as string }
  await expect(openStorage(options)).rejects.toMatchObject(theirs)
  await expect(openStorage(options)).rejects.toMatchObject(theirs)
})

test('what was asked before closing is done, and afterwards everything is refused', async () => {
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
