import {
  copyFileSync,
  existsSync,
  readFileSync,
  readdirSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import {
  type StorageOptions,
  auditDatabase,
  backupDatabase,
  checkDatabase,
  openStorage,
  restoreDatabase,
} from '../../../src/storage/open.ts'
import type { RoomName } from '../../../src/words/entry.ts'
import { copyDatabase } from '../../../src/storage/copy.ts'
import { openFile } from '../../../src/storage/sqlite/driver.ts'
import { paths } from '../../../src/base/paths.ts'
import type { RoutineId } from '../../../src/turns/routines/index.ts'
import { alice, key } from '../../contract/storage/cast.ts'
import { message, sqliteOptions, temporaryDir } from '../../support/storage.ts'

const lobby = 'lobby' as RoomName
const ofAlice = {
  ...{ room: null, person: alice.id, text: 'tea', scope: null, zone: 'UTC' },
  ...{ tokens: null, runsLeft: null, until: null, token: null, at: 5 },
}
const ids = (from: number, to: number): readonly string[] =>
  Array.from({ length: to - from + 1 }, (_, n) => String(from + n).padStart(6, '0'))

test('a backup made during writes opens as a database with all earlier entries', async () => {
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

test('a backup can be made of a running and of a stopped server', async () => {
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

test('a backup overwrites no existing file and leaves no partial file', async () => {
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

test('a backup of a missing database is an error and creates no file', async () => {
  using dir = temporaryDir()
  const attempt = backupDatabase(join(dir.path, 'none.db'), join(dir.path, 'copy.db'))
  await expect(attempt).rejects.toThrow('the database cannot be opened; check that it is there')
  expect(readdirSync(dir.path)).toEqual([])
})

const now = new Date(Date.UTC(2026, 10, 22, 9, 41, 7))

/** A database with a backup of its first entry, and a second entry that is only in the log, as a crash leaves it. */
async function crashed(dir: string) {
  const running = sqliteOptions(join(dir, 'running'))
  const left = sqliteOptions(join(dir, 'left'))
  const backup = join(dir, 'backup.db')
  await using storage = await openStorage(running)
  await storage.chat.entries.append(message('1', 'lobby', 'in the backup'))
  await backupDatabase(running.file, backup)
  await storage.chat.entries.append(message('2', 'lobby', 'after the backup'))
  await (await openStorage(left))[Symbol.asyncDispose]()
  for (const end of ['', '-wal']) copyFileSync(`${running.file}${end}`, `${left.file}${end}`)
  const restore = (source = backup) =>
    restoreDatabase({ source, file: left.file, migrationsDir: paths.migrations, now })
  return { left, backup, restore }
}

async function lastIn(options: StorageOptions): Promise<string | undefined> {
  await using storage = await openStorage(options)
  return await storage.chat.entries.lastId()
}

test('a restore replaces a crashed database and keeps the old one with its log', async () => {
  using dir = temporaryDir()
  const { left, restore } = await crashed(dir.path)
  const kept = await restore()
  expect(kept).toBe(`${left.file}.before-2026-11-22T09-41-07-000Z`)
  expect(await lastIn(left)).toBe('1')
  expect(await lastIn({ ...left, file: kept! })).toBe('2')
  expect(statSync(left.file).mode & 0o777).toBe(0o600)
})

test('a backup copied by hand over a crashed database is detected before the old log damages it', async () => {
  using dir = temporaryDir()
  const { left, backup, restore } = await crashed(dir.path)
  copyFileSync(backup, left.file)
  for (const more of [{}, { threadEntry: paths.storageThread }])
    await expect(openStorage({ ...left, ...more })).rejects.toThrow(
      /not of the same database.*sshawl restore FILE/,
    )
  expect(readFileSync(left.file).equals(readFileSync(backup))).toBe(true)
  await restore()
  expect(await lastIn(left)).toBe('1')
})

test("check, audit, backup and copy refuse and do not change a database beside another's log", async () => {
  using dir = temporaryDir()
  const { left, backup } = await crashed(dir.path)
  const copy = join(dir.path, 'copy.db')
  const migrationsDir = paths.migrations
  const all = (): readonly Promise<unknown>[] => [
    checkDatabase(left.file, migrationsDir),
    auditDatabase(left.file, migrationsDir, now.getTime()),
    backupDatabase(left.file, copy),
    copyDatabase({ from: left.file, to: 'postgres://127.0.0.1:1/none', migrationsDir, now: Date.now }),
  ]
  copyFileSync(backup, left.file)
  const log = readFileSync(`${left.file}-wal`)
  for (const refused of all())
    await expect(refused).rejects.toThrow(/not of the same database.*sshawl restore FILE/)
  expect(existsSync(copy)).toBe(false)
  expect(readFileSync(left.file).equals(readFileSync(backup))).toBe(true)
  expect(readFileSync(`${left.file}-wal`).equals(log)).toBe(true)
  rmSync(left.file)
  await expect(checkDatabase(left.file, migrationsDir)).rejects.toThrow('is missing, and the log beside it')
})

test('a symlinked database uses the log and the lock of its target file', async () => {
  using dir = temporaryDir()
  const { left, backup } = await crashed(dir.path)
  const linked = sqliteOptions(join(dir.path, 'linked'))
  await (await openStorage(linked))[Symbol.asyncDispose]()
  rmSync(linked.file)
  symlinkSync(left.file, linked.file)
  {
    await using _ = await openStorage(left)
    await expect(openStorage(linked)).rejects.toThrow('another sshawl is using')
  }
  const log = await crashed(join(dir.path, 'again')).then(({ left: other }) =>
    readFileSync(`${other.file}-wal`),
  )
  copyFileSync(backup, left.file)
  writeFileSync(`${left.file}-wal`, log)
  await expect(openStorage(linked)).rejects.toThrow(/not of the same database/)
  await expect(auditDatabase(linked.file, paths.migrations, 0)).rejects.toThrow(/not of the same database/)
  expect(readFileSync(left.file).equals(readFileSync(backup))).toBe(true)
})

test('a write-ahead log without its database is refused, and no database is created', async () => {
  using dir = temporaryDir()
  const { left, restore } = await crashed(dir.path)
  rmSync(left.file)
  for (const more of [{}, { threadEntry: paths.storageThread }])
    await expect(openStorage({ ...left, ...more })).rejects.toThrow('is missing, and the log beside it')
  expect(existsSync(left.file)).toBe(false)
  await restore()
  expect(await lastIn(left)).toBe('1')
})

test('a restored database has all of its routines paused, since the original may still run them', async () => {
  using dir = temporaryDir()
  const options = sqliteOptions(dir.path)
  const backup = `${options.file}.backup`
  const routine = { ...ofAlice, condition: { kind: 'once', at: 9 }, nextAt: 9 } as const
  {
    await using storage = await openStorage(options)
    await storage.chat.people.register(alice, 'alice', key(1), 5)
    for (const id of ['a', 'b'] as RoutineId[])
      await storage.models.routines.add({ ...routine, id }, { perPerson: 9, perRoom: 9 })
    const byHand = { state: 'paused', reason: 'alice paused it', nextAt: null } as const
    await storage.models.routines.update('b' as RoutineId, byHand)
    await backupDatabase(options.file, backup)
  }
  await restoreDatabase({ ...options, source: backup, now: new Date(0) })
  await using restored = await openStorage(options)
  expect(await restored.models.routines.list({})).toMatchObject([
    { id: 'a', state: 'paused', reason: 'the database was copied or restored', nextAt: null },
    { id: 'b', state: 'paused', reason: 'alice paused it' },
  ])
})

test('a restore creates the database if there is none', async () => {
  using dir = temporaryDir()
  const { backup } = await crashed(dir.path)
  const options = sqliteOptions(join(dir.path, 'new'))
  const { file, migrationsDir } = options
  expect(await restoreDatabase({ source: backup, file, migrationsDir, now })).toBeUndefined()
  expect(await lastIn(options)).toBe('1')
})

test('a restore is refused while a server runs', async () => {
  using dir = temporaryDir()
  const { left, restore } = await crashed(dir.path)
  await using storage = await openStorage({ ...left, threadEntry: paths.storageThread })
  await expect(restore()).rejects.toMatchObject({ reason: 'locked' })
  expect(await storage.chat.entries.lastId()).toBe('2')
})

test('a restore refuses an invalid backup and leaves the database unchanged', async () => {
  using dir = temporaryDir()
  const { left, backup, restore } = await crashed(dir.path)
  const bad = (name: string): string => join(dir.path, name)
  writeFileSync(bad('text'), 'not a database '.repeat(500))
  writeFileSync(bad('empty'), '')
  openFile(bad('theirs')).exec('CREATE TABLE theirs (a)').close()
  copyFileSync(backup, bad('cut'))
  truncateSync(bad('cut'), statSync(backup).size - 8192)
  copyFileSync(backup, bad('newer'))
  const newer = openFile(bad('newer'))
  newer.pragma('user_version = 999')
  newer.close()
  const before = readdirSync(join(dir.path, 'left'))
  for (const [name, why] of [
    ['text', 'damaged, or not a database'],
    ['empty', 'is empty'],
    ['theirs', "another program's database"],
    ['cut', 'damaged'],
    ['newer', 'written by a newer sshawl'],
    ['missing', 'there is no backup'],
    ['.', 'is not a file'],
  ] as const)
    await expect(restore(bad(name)), name).rejects.toThrow(new RegExp(`backup .*${why}|${why} .*`))
  await expect(restore(left.file)).rejects.toThrow('is the database itself')
  expect(readdirSync(join(dir.path, 'left'))).toEqual(before)
  expect(existsSync(`${left.file}.restoring`)).toBe(false)
  expect(await lastIn(left)).toBe('2')
})
