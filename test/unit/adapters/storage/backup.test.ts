import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { backupDatabase, openStorage } from '../../../../src/adapters/storage/open.ts'
import type { RoomName } from '../../../../src/chat/entry.ts'
import { message, sqliteOptions, temporaryDir } from '../../../support/storage.ts'

const lobby = 'lobby' as RoomName
const ids = (from: number, to: number): readonly string[] =>
  Array.from({ length: to - from + 1 }, (_, n) => String(from + n).padStart(6, '0'))

test('a copy made while the server goes on writing opens as a database, with all that was stored before', async () => {
  using dir = temporaryDir()
  await using storage = await openStorage(sqliteOptions(dir.path))
  const append = (id: string): Promise<unknown> =>
    storage.chat.entries.append(message(id, lobby, 'x'.repeat(5000)))
  await Promise.all(ids(1, 2000).map(append))
  const copy = sqliteOptions(join(dir.path))
  const target = `${copy.file}.copy`
  await Promise.all([backupDatabase(copy.file, target), ...ids(2001, 2100).map(append)])
  await using copied = await openStorage({ ...copy, file: target })
  const stored = await copied.chat.entries.read(lobby, { limit: 1e6 })
  expect(stored.map((entry) => entry.id)).toEqual(expect.arrayContaining([...ids(1, 2000)]))
  expect((statSync(target).mode & 0o777).toString(8)).toBe('600')
})

test('a copy can be made beside a running server and of a server that is stopped', async () => {
  using dir = temporaryDir()
  const options = sqliteOptions(dir.path)
  {
    await using storage = await openStorage(options)
    await storage.chat.entries.append(message('1', lobby, 'x'))
    await backupDatabase(options.file, join(dir.path, 'running.db'))
  }
  await backupDatabase(options.file, join(dir.path, 'stopped.db'))
  for (const name of ['running.db', 'stopped.db']) {
    await using copied = await openStorage({ ...options, file: join(dir.path, name) })
    expect(await copied.chat.entries.lastId()).toBe('1')
  }
})

test('a file that is there already is not replaced, and nothing half-made is left', async () => {
  using dir = temporaryDir()
  const options = sqliteOptions(dir.path)
  await using storage = await openStorage(options)
  const target = join(dir.path, 'taken')
  writeFileSync(target, 'mine')
  await storage.upkeep.health()
  const before = readdirSync(dir.path)
  await expect(backupDatabase(options.file, target)).rejects.toThrow(
    `${target} is there already; choose another name`,
  )
  await expect(backupDatabase(options.file, join(dir.path, 'none', 'x'))).rejects.toThrow(
    'there is no such file or directory',
  )
  expect(readFileSync(target, 'utf8')).toBe('mine')
  expect(readdirSync(dir.path)).toEqual(before)
})

test('there is nothing to copy where there is no database', async () => {
  using dir = temporaryDir()
  const attempt = backupDatabase(join(dir.path, 'none.db'), join(dir.path, 'copy.db'))
  await expect(attempt).rejects.toThrow('the database cannot be opened; check that it is there')
  expect(readdirSync(dir.path)).toEqual([])
})
