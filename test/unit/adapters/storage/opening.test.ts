import {
  chmodSync,
  closeSync,
  mkdirSync,
  openSync,
  readFileSync,
  statSync,
  writeFileSync,
  writeSync,
} from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { checkDatabase, openStorage } from '../../../../src/adapters/storage/open.ts'
import { openFile } from '../../../../src/adapters/storage/sqlite/driver.ts'
import type { PersonId } from '../../../../src/chat/people/person.ts'
import { message, sqliteOptions, temporaryDir } from '../../../support/storage.ts'

const mode = (path: string): string => (statSync(path).mode & 0o777).toString(8)

test('the database, its log, its index and its lock are their owner’s alone, whatever the umask', async () => {
  using dir = temporaryDir()
  const before = process.umask(0)
  try {
    const options = sqliteOptions(join(dir.path, 'made', 'data'))
    await using storage = await openStorage(options)
    await storage.chat.entries.append(message('1', 'lobby', 'x'))
    const files = ['', '-wal', '-shm', '.lock'].map((end) => mode(`${options.file}${end}`))
    expect(files).toEqual(['600', '600', '600', '600'])
    expect(mode(join(dir.path, 'made', 'data'))).toBe('700')
  } finally {
    process.umask(before)
  }
})

test('a database that others could read is closed to them', async () => {
  using dir = temporaryDir()
  const options = sqliteOptions(dir.path)
  await (await openStorage(options))[Symbol.asyncDispose]()
  chmodSync(options.file, 0o644)
  await using _ = await openStorage(options)
  expect(mode(options.file)).toBe('600')
})

test('everything is there when it is opened again', async () => {
  using dir = temporaryDir()
  const options = sqliteOptions(dir.path)
  {
    await using storage = await openStorage(options)
    await storage.chat.entries.append(message('1', 'lobby', 'still here'))
  }
  await using storage = await openStorage(options)
  expect(await storage.chat.entries.lastId()).toBe('1')
})

test('a directory is served by one at a time, and free again afterwards', async () => {
  using dir = temporaryDir()
  const options = sqliteOptions(dir.path)
  const first = await openStorage(options)
  await expect(openStorage(options)).rejects.toMatchObject({
    reason: 'locked',
    message: expect.stringContaining('another sshawl is using') as string,
  })
  await first[Symbol.asyncDispose]()
  await using _ = await openStorage(options)
})

test('after closing, everything is refused in a sentence, what was under way is stored, and closing again is harmless', async () => {
  using dir = temporaryDir()
  const options = sqliteOptions(dir.path)
  const storage = await openStorage(options)
  const underWay = storage.chat.entries.append(message('1', 'lobby', 'last words'))
  await storage[Symbol.asyncDispose]()
  await underWay
  await storage[Symbol.asyncDispose]()
  await expect(storage.chat.entries.append(message('2', 'lobby', 'x'))).rejects.toThrow(
    'the server is stopping',
  )
  await expect(storage.chat.rooms.all()).rejects.toMatchObject({ name: 'StorageError' })
  await using again = await openStorage(options)
  expect(await again.chat.entries.lastId()).toBe('1')
})

test.each([
  ['text', 'this is not a database, but it is long enough to be read as the header of one'.repeat(20)],
  ['bytes', Buffer.from(Array.from({ length: 4096 }, (_, n) => n % 256))],
])('a file of %s is called damaged and left as it is', async (_what, content) => {
  using dir = temporaryDir()
  const options = sqliteOptions(dir.path)
  writeFileSync(options.file, content)
  await expect(openStorage(options)).rejects.toMatchObject({ name: 'StorageError', reason: 'corrupt' })
  expect(readFileSync(options.file).equals(Buffer.from(content))).toBe(true)
})

test('of a damaged database that finding is told which SQLite has, and not its heading', async () => {
  using dir = temporaryDir()
  const options = sqliteOptions(dir.path)
  {
    await using storage = await openStorage(options)
    for (let id = 100; id < 300; id++)
      await storage.chat.entries.append(message(`${id}`, 'lobby', 'x'.repeat(1_000)))
  }
  const page = statSync(options.file).size / 4096 - 20
  const file = openSync(options.file, 'r+')
  writeSync(file, Buffer.alloc(4096, 0xa5), 0, 4096, page * 4096)
  closeSync(file)
  expect(await checkDatabase(options.file, options.migrationsDir)).toMatch(/^Tree \d+ page \d+.*[a-z]/)
})

test('another program’s database is refused and left as it is', async () => {
  using dir = temporaryDir()
  const options = sqliteOptions(dir.path)
  openFile(options.file).exec('CREATE TABLE theirs (a); PRAGMA user_version = 1').close()
  const before = readFileSync(options.file)
  await expect(openStorage(options)).rejects.toThrow(`${options.file} is another program's database`)
  expect(readFileSync(options.file).equals(before)).toBe(true)
})

test('a directory in the place of the database, and a file in the place of its directory, are clear errors', async () => {
  using dir = temporaryDir()
  const options = sqliteOptions(dir.path)
  mkdirSync(options.file)
  await expect(openStorage(options)).rejects.toThrow(`${options.file} is not a file; move it away`)
  writeFileSync(join(dir.path, 'file'), '')
  const inFile = openStorage(sqliteOptions(join(dir.path, 'file')))
  await expect(inFile).rejects.toThrow('a file stands where a directory should be')
})

test('a message to one person that was read is nowhere in the file once the server has ended', async () => {
  using dir = temporaryDir()
  const options = sqliteOptions(dir.path)
  const text = 'meet at nine '.repeat(300)
  {
    await using storage = await openStorage(options)
    const bob = { id: 'bob' as PersonId, name: 'bob', admin: false, guest: false }
    await storage.chat.people.register(bob, 'bob', undefined, 1)
    const sender = { id: bob.id, name: 'bob', guest: false }
    const limits = { forOne: 9, fromOne: 9, inAll: 9, notBefore: 0 }
    await storage.talk.messages.put({ id: 'm', to: bob.id, from: sender, at: 1, text }, limits)
    await storage.talk.messages.remove(['m'])
  }
  expect(readFileSync(options.file).includes('meet at nine')).toBe(false)
})
