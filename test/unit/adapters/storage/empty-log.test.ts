import { readFileSync, statSync } from 'node:fs'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { createSqliteDatabase, TRUNCATE_AFTER_MS } from '../../../../src/adapters/storage/sqlite/database.ts'
import { openFile } from '../../../../src/adapters/storage/sqlite/driver.ts'
import { readMigrations } from '../../../../src/adapters/storage/migrations.ts'
import { openDatabase } from '../../../../src/adapters/storage/sqlite/open.ts'
import { createStores } from '../../../../src/adapters/storage/sqlite/stores.ts'
import { paths } from '../../../../src/app/paths.ts'
import type { PersonId } from '../../../../src/chat/people/person.ts'
import { sqliteOptions, temporaryDir } from '../../../support/storage.ts'

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

test('a message that was read is neither in the database nor in its log, soon after', async () => {
  using dir = temporaryDir()
  const { database, read } = await withReadMessage(dir.path)
  expect(read('-wal')).toContain(SECRET)
  vi.advanceTimersByTime(TRUNCATE_AFTER_MS)
  expect(read('-wal')).toBe('')
  expect(read('')).not.toContain(SECRET)
  await database.close()
})

test('while somebody reads, writes go on, and the log is emptied once they are done', async () => {
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

test('three hundred messages that are read at once cost one emptying, and what deletes nothing costs none', async () => {
  using dir = temporaryDir()
  const { file, db, database, stores, send } = await withReadMessage(dir.path)
  const asked = vi.spyOn(db, 'pragma')
  const emptyings = (): number => asked.mock.calls.filter(([text]) => text.includes('wal_checkpoint')).length
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
