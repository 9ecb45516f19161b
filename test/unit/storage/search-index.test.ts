import {
  closeSync,
  copyFileSync,
  existsSync,
  openSync,
  rmSync,
  statSync,
  writeFileSync,
  writeSync,
} from 'node:fs'
import { expect, test } from 'vitest'
import { openStorage } from '../../../src/storage/open.ts'
import { openFile } from '../../../src/storage/sqlite/driver.ts'
import { indexFile, roomWord } from '../../../src/storage/sqlite/search.ts'
import { paths } from '../../../src/base/paths.ts'
import type { RoomName } from '../../../src/words/entry.ts'
import { searchTerms } from '../../../src/chat/text/input-text.ts'
import { message, sqliteOptions, temporaryDir } from '../../support/storage.ts'

const lobby = 'lobby' as RoomName
const rooms = [lobby]

/** What a storage opened for this alone finds. */
async function found(options: Parameters<typeof openStorage>[0], words: string): Promise<readonly string[]> {
  await using storage = await openStorage(options)
  const { entries } = await storage.chat.entries.search({ rooms, terms: searchTerms(words), limit: 99 })
  return entries.map(({ id }) => id)
}

async function append(options: Parameters<typeof openStorage>[0], ...ids: readonly string[]): Promise<void> {
  await using storage = await openStorage(options)
  for (const id of ids) await storage.chat.entries.append(message(id, 'lobby', `needle ${id}`))
}

function overwrite(path: string, at: number, bytes: Buffer): void {
  const file = openSync(path, 'r+')
  writeSync(file, bytes, 0, bytes.length, at)
  closeSync(file)
}

test('the search index has mode 600, and entries appended without it are found', async () => {
  using dir = temporaryDir()
  const options = { ...sqliteOptions(dir.path), threadEntry: paths.storageThread }
  await append(options, '1', '2')
  expect(existsSync(indexFile(options.file))).toBe(false)
  expect(await found(options, 'needle')).toEqual(['1', '2'])
  expect(statSync(indexFile(options.file)).mode & 0o777).toBe(0o600)
  await append(options, '3')
  expect(await found(options, 'needle')).toEqual(['1', '2', '3'])
})

test('a search index that is damaged, missing or of another version is rebuilt', async () => {
  using dir = temporaryDir()
  const options = sqliteOptions(dir.path)
  const index = indexFile(options.file)
  await append(options, '1', '2')
  expect(await found(options, 'needle')).toEqual(['1', '2'])
  writeFileSync(index, 'garbage '.repeat(1000))
  expect(await found(options, 'needle')).toEqual(['1', '2'])
  const pages = statSync(index).size / 4096
  for (let page = 1; page < pages; page++) {
    const db = openFile(index)
    db.pragma('journal_mode = DELETE')
    db.close()
    overwrite(index, page * 4096, Buffer.alloc(4096, 0xa5))
    expect(await found(options, 'needle')).toEqual(['1', '2'])
  }
  const db = openFile(index)
  db.pragma('user_version = 999')
  db.close()
  expect(await found(options, 'needle')).toEqual(['1', '2'])
  rmSync(index)
  expect(await found(options, 'needle')).toEqual(['1', '2'])
})

test('a search index copied from another database returns only entries that this database has', async () => {
  using dir = temporaryDir()
  using other = temporaryDir()
  const options = sqliteOptions(dir.path)
  const before = sqliteOptions(other.path)
  await append(before, '1', '2')
  await append(options, '1', '3')
  expect(await found(before, 'needle')).toEqual(['1', '2'])
  copyFileSync(indexFile(before.file), indexFile(options.file))
  expect(await found(options, 'needle')).toEqual(['1', '3'])
})

test('entries of an older index version are found by exact spelling, together with new ones', async () => {
  using dir = temporaryDir()
  const options = sqliteOptions(dir.path)
  const say = async (id: string): Promise<void> => {
    await using storage = await openStorage(options)
    await storage.chat.entries.append(message(id, 'lobby', 'Straße'))
  }
  await say('1')
  await found(options, 'needle')
  const index = openFile(indexFile(options.file))
  index.exec("INSERT INTO entry_words (entry_words) VALUES ('delete-all')")
  index
    .prepare("INSERT INTO entry_words (entry, room, words) VALUES ('1', ?, 'alice straße')")
    .run(roomWord(lobby))
  index.close()
  await say('2')
  expect(await found(options, 'straße')).toEqual(['1', '2'])
  expect(await found(options, '"STRAẞE" alice')).toEqual(['1', '2'])
  expect(await found(options, 'strasse')).toEqual(['2'])
})

test('a search works again once the lock that blocked the index is released', async () => {
  using dir = temporaryDir()
  const options = sqliteOptions(dir.path)
  await append(options, '1', '2')
  const other = openFile(indexFile(options.file))
  other.exec('CREATE TABLE taken (x); BEGIN IMMEDIATE')
  await using storage = await openStorage(options)
  const search = () => storage.chat.entries.search({ rooms, terms: searchTerms('needle'), limit: 99 })
  await expect(search()).rejects.toMatchObject({ reason: 'locked' })
  other.close()
  expect(await search()).toMatchObject({ entries: [{ id: '1' }, { id: '2' }] })
})

test('a search finds indexed entries while the index is locked, and says that others may be missing', async () => {
  using dir = temporaryDir()
  const options = { ...sqliteOptions(dir.path), threadEntry: paths.storageThread }
  await using storage = await openStorage(options)
  const search = () => storage.chat.entries.search({ rooms, terms: searchTerms('needle'), limit: 99 })
  await storage.chat.entries.append(message('1', 'lobby', 'needle'))
  expect(await search()).toMatchObject({ entries: [{ id: '1' }] })
  const other = openFile(indexFile(options.file))
  other.exec('BEGIN IMMEDIATE')
  expect(await search()).not.toHaveProperty('behind')
  await storage.chat.entries.append(message('2', 'lobby', 'needle'))
  expect(await search()).toMatchObject({
    entries: [{ id: '1' }],
    behind: expect.stringContaining('another program holds the database') as string,
  })
  other.close()
  const found = await search()
  expect(found).toMatchObject({ entries: [{ id: '1' }, { id: '2' }] })
  expect(found).not.toHaveProperty('behind')
})

test('a search after a large import answers before all is indexed, and says how many lines are missing', async () => {
  using dir = temporaryDir()
  const options = sqliteOptions(dir.path)
  await append(options, '1')
  const db = openFile(options.file)
  db.prepare(
    `INSERT INTO entries (id, room, at, kind, author, text, data)
     WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 50000)
     SELECT printf('2%06d', i), room, at, kind, author, 'imported', data FROM n, entries WHERE entries.id = '1'`,
  ).run()
  db.close()
  await using storage = await openStorage(options)
  const search = (words: string) =>
    storage.chat.entries.search({ rooms, terms: searchTerms(words), limit: 1 })
  const early = await search('needle')
  expect(early.entries.map(({ id }) => id)).toEqual(['1'])
  expect(early.behind).toMatch(/^\d+ lines are not in the search index yet/)
  await storage.upkeep.refreshSearch()
  const { entries, behind } = await search('imported')
  expect([entries.map(({ id }) => id), behind]).toEqual([['2050000'], undefined])
})
