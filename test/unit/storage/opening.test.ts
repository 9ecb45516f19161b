import {
  chmodSync,
  closeSync,
  cpSync,
  mkdirSync,
  openSync,
  readFileSync,
  readdirSync,
  statSync,
  symlinkSync,
  writeFileSync,
  writeSync,
} from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { execa } from 'execa'
import type { Database } from 'better-sqlite3'
import { checkDatabase, openStorage } from '../../../src/storage/open.ts'
import { openFile } from '../../../src/storage/sqlite/driver.ts'
import type { PersonId } from '../../../src/words/person.ts'
import { paths } from '../../../src/base/paths.ts'
import type { RoomName } from '../../../src/words/entry.ts'
import { message, sqliteOptions, temporaryDir } from '../../support/storage.ts'
import { built } from '../../support/built.ts'

const mode = (path: string): string => (statSync(path).mode & 0o777).toString(8)

test('the database, log, index and lock files have mode 600 whatever the umask', async () => {
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

test('a database with mode 644 is changed to mode 600 when it is opened', async () => {
  using dir = temporaryDir()
  const options = sqliteOptions(dir.path)
  await (await openStorage(options))[Symbol.asyncDispose]()
  chmodSync(options.file, 0o644)
  await using _ = await openStorage(options)
  expect(mode(options.file)).toBe('600')
})

test('a closed storage has stored pending writes, rejects new calls and can be closed again', async () => {
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
])('a file of %s is reported as corrupt and left unchanged', async (_what, content) => {
  using dir = temporaryDir()
  const options = sqliteOptions(dir.path)
  writeFileSync(options.file, content)
  await expect(openStorage(options)).rejects.toMatchObject({ name: 'StorageError', reason: 'corrupt' })
  expect(readFileSync(options.file).equals(Buffer.from(content))).toBe(true)
})

test('the check of a damaged database reports the finding of SQLite without its heading', async () => {
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

test('the database of another program is refused and left unchanged', async () => {
  using dir = temporaryDir()
  const options = sqliteOptions(dir.path)
  openFile(options.file).exec('CREATE TABLE theirs (a); PRAGMA user_version = 1').close()
  const before = readFileSync(options.file)
  await expect(openStorage(options)).rejects.toThrow(`${options.file} is another program's database`)
  expect(readFileSync(options.file).equals(before)).toBe(true)
})

test('a directory at the path of the database or a file at that of its directory is an error', async () => {
  using dir = temporaryDir()
  const options = sqliteOptions(dir.path)
  mkdirSync(options.file)
  await expect(openStorage(options)).rejects.toThrow(`${options.file} is not a file; move it away`)
  writeFileSync(join(dir.path, 'file'), '')
  const inFile = openStorage(sqliteOptions(join(dir.path, 'file')))
  await expect(inFile).rejects.toThrow('a file stands where a directory should be')
})

test('a direct message that was read is absent from the database file after the server stopped', async () => {
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

const driver = Number(process.versions['napi']) >= 10 ? 'better-sqlite3' : 'better-sqlite3-12'
const sentence = new RegExp(
  `${driver}, which reads and writes the database, cannot be loaded by Node v\\S+ \\(.+\\); .*install sshawl again`,
)

/** The built program in a directory of its own, with every package but the drivers. */
function installWithoutDrivers(dir: string): string {
  const modules = join(dir, 'node_modules')
  mkdirSync(modules)
  for (const name of readdirSync(join(paths.root, 'node_modules'))) {
    if (!name.startsWith('better-sqlite3'))
      symlinkSync(join(paths.root, 'node_modules', name), join(modules, name))
  }
  for (const part of ['package.json', 'dist', 'lua', 'migrations', 'wrapped-tools'])
    cpSync(join(paths.root, part), join(dir, part), {
      recursive: true,
      filter: (file) => !file.endsWith('/dist/types'),
    })
  return modules
}

const run = (dir: string, ...args: readonly string[]) =>
  execa('node', [join(dir, 'dist/main.js'), ...args, '--data', join(dir, 'data')], { reject: false })

test('sshawl without its database driver says what to install, and --version still works', async () => {
  using dir = temporaryDir()
  installWithoutDrivers(dir.path)
  const serve = await run(dir.path, 'serve', '--listen', '127.0.0.1:0')
  expect(serve.exitCode).toBe(1)
  expect(serve.stderr).toMatch(sentence)
  expect(serve.stderr).toContain(`(Cannot find module '${driver}'`)
  expect(serve.stderr.split('\n')).toHaveLength(1)
  const version = await run(dir.path, '--version')
  expect(version).toMatchObject({ exitCode: 0, stderr: '' })
})

test('sshawl check reports a driver without a binary and continues with other checks', async () => {
  using dir = temporaryDir()
  const modules = installWithoutDrivers(dir.path)
  cpSync(join(paths.root, 'node_modules', driver), join(modules, driver), {
    recursive: true,
    filter: (file) => !/[/](build|deps|src)$/.test(file) && !file.endsWith('.node'),
  })
  const check = await run(dir.path, 'check')
  expect(check.exitCode).toBe(1)
  expect(check.stdout).toMatch(sentence)
  expect(check.stdout).toMatch(/^sandbox: /m)
})

/** Runs the child until it has told of so many ids, then kills it. What it told until it died. */
async function killAfter(ids: number, directory: string): Promise<readonly string[]> {
  const process = execa('node', [built('append-until-killed'), directory], {
    reject: false,
    forceKillAfterDelay: false,
  })
  const told: string[] = []
  for await (const id of process) {
    told.push(id)
    if (told.length === ids) process.kill('SIGKILL')
  }
  expect((await process).signal).toBe('SIGKILL')
  return told
}

test('acknowledged entries survive kill -9, and the database passes its integrity check', async () => {
  using dir = temporaryDir()
  const options = sqliteOptions(dir.path)
  const acknowledged: string[] = []
  for (const ids of [1, 90, 500]) {
    acknowledged.push(...(await killAfter(ids, dir.path)))
    await using storage = await openStorage(options)
    const stored = await storage.chat.entries.read('lobby' as RoomName, { limit: 1e6 })
    expect(stored.map((entry) => entry.id)).toEqual(expect.arrayContaining(acknowledged))
    expect(await storage.chat.entries.lastId()).toBe(stored.at(-1)?.id)
  }
  using db = closing(openFile(options.file))
  expect(db.pragma('integrity_check', { simple: true })).toBe('ok')
})

const closing = (db: Database): Database & Disposable =>
  Object.assign(db, { [Symbol.dispose]: () => void db.close() })
