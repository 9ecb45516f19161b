import { cpSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { openStorage, type StorageOptions } from '../../../src/storage/open.ts'
import { readMigrations } from '../../../src/storage/migrations.ts'
import { openDatabase } from '../../../src/storage/sqlite/open.ts'
import type { Storage } from '../../../src/storage/storage.ts'
import type { RoomName } from '../../../src/words/entry.ts'
import type { Fingerprint, PersonId } from '../../../src/words/person.ts'
import { paths } from '../../../src/base/paths.ts'
import { ODD_NAMES } from '../../support/odd-names.ts'
import { sqliteOptions, temporaryDir } from '../../support/storage.ts'

/** Of each released migration. A line is added with a new file and never changed. */
const released: Readonly<Record<string, string>> = {
  '001-first-light.sql': '1cfe907be5886b044bc808a0b62f16d7f790c8815cab803a080fecfe70d99774',
  '002-turn-steps.sql': '33adafa75a57800ba1a0e6136cdfdf1042c0e695835504b0b9c6168c24776c56',
  '003-grants.sql': '99993272e2c5c103c3edc92f5cefd8bbcef5b5a464ad84fdd29fa297f8cd02c3',
  '004-results.sql': 'feb270812b76e96fc9adcb4ff96efef255294e41643c56f323edf643ca8d1305',
  '005-calibration.sql': '77417cc37a41c42e2f2ff418b2aeed87e5c2e29b83b2a8e3c779e892ce7a48d0',
  '006-turns-by-requester.sql': '2620fddc8b2994325337a3d95970ea2b826c662d53bf374d1cd8c4238b02fc99',
  '007-held-presence.sql': 'b8afd7730cee43fa9565ba62dc6e63fc285298adddf58fcd98bd3012aec82eef',
  '008-tool-calls.sql': '2b5ad8f7ef774484bb8b163e058243ac11fb2346ffae3066a7a187bd77583880',
  '009-model-facts.sql': '6538e39d93cb64497e4974b8b65036fa10111d02895b17805a0e6c7b690e9c74',
  '010-charges.sql': '7b20f4456c002deee273ae6968a9c25c0bec0dffacc6d7de914dc21e9646c5f5',
  '011-summaries.sql': 'd74e2dac10d1aa0e7fd39e5fc6f7f81ae98eb649107e3d727a22b72da36e02df',
  '012-looks.sql': '9b65be813d2f44fd7491db3cfda45143ec63c33308fa69044392aee2dd2e3331',
  '013-sanctions.sql': 'c30f21b794f781b8ac8cf668d2e9fa17f6f7c1f1a2b8bad47161092c79b2c536',
  '014-invites.sql': '6bf97529c0c5a05bafd90ade0bd64c41940eae32061bb999d3e0fcd3f752b4d5',
  '015-payers.sql': 'b802bf152f21b2fd88172f798d856e943b04383c13d16f9a5b8d3ee9aa7ca396',
  '016-talk.sql': 'b4404dfe34f5ba340544d2e25b39c8033cd5a288e168e9d0bac64ae28222fe6e',
  '017-asked-and-invited.sql': 'adfdd4a06ba72234de61828ee42cd2da04fa813022823d44db39157c1a8d0fb4',
  '018-preferences.sql': '75a43a1fc69ed8fc66cb80b4acdae164bb5da96b2211f5e77ce52080e08feba1',
  '019-config-admins-and-former-names.sql':
    '03bab68c4488aab6155747fc669ea34e678a17d5643eb0d2e5a22fc3fab4043f',
  '020-who-said-it.sql': 'e85c76a793f2e691c3b99d696a460998425345e6a3e74c120815f4873885eee3',
  '021-typed.sql': 'ecbe1944c5d82d61d064469de587dafb44d3b69df13a3cf86b95666497f5ec24',
  '022-who-asked.sql': 'd1bde075edf3bd624ff4611c4f6495111331bb2cf0b597887acf504d7db98be8',
  '023-waiting-keys.sql': 'c2b0395a02b6863c828a953c8855321074763a912416a6ff5c43f7b215f709aa',
  '024-most-counted.sql': '7baa9ec9830ec6abbbce632ffdfd05b6813f30ecfbda9d4d5b1bfc073def0ef4',
  '025-mcp.sql': '4e5dfe395a247cf0d922f2afe1819f9412c49225252738ec571684c4b059ae2b',
  '026-tokens.sql': 'e81ead3b33d7d20e9b2b1b3464074d573f4a55995592eae4e897844304743d96',
  '027-results-from-outside.sql': 'c6c108764b840fee2d377a0aad8387b31a8e09a5ed48f5115c55ce6a2203feaa',
  '028-rooms-of-people.sql': '982ffc20e457e9c1bac924edc50a0d89a031777b6b1d6123913293c6517e40a0',
  '029-removals.sql': '4c24fef84fdbe3231cec29f76c1b4bace9370fc1f6052826c0b06029503aef40',
  '030-instructions.sql': '12ed5fc1ab6f7716e849183caf46ce6fab98ba862408397fa757d5f58850ecc8',
  '031-request-parts.sql': '5cc329dc233a0f50b8971ce12decaed6c099fe34d79807daad0b815e7aef3481',
  '032-routines.sql': '24510ce66e1da0a800ad04490d43b826787a0a6e7fd62e5406ec99d70cdf032f',
  '033-grants-of-routines.sql': '8c6f8809ab587bddfb12f29b69fb4ed08d7a172551b59e4c128f29ce31b11f13',
  '034-personas.sql': 'ba20df909c16cbaf2a6b5c6ff689bb294f420a653bc5612131cee88ebc46a4f7',
  '035-who-set-scripts.sql': 'f0b28e6da446a301d7318cf7b3f3ab19d2aa70f3aeaffd081267d2ed027922cf',
  '036-talks.sql': 'a2e4d0b6d9f7e88fdc9476e99da3004f52d7afd9cbb1724b056d56d8c80e63b8',
  '037-memories.sql': '3bc0cca9984ea0c8b84cb67fcd14c5d32c2d9ea0adc7c43d1015d47234daacde',
}

/** A database with the schema before any other, and a row of each table as it was written then. */
const oldest = {
  migrations: 1,
  rows: `
    INSERT INTO people VALUES ('p1', 'alice', 'alice', 1, 5);
    INSERT INTO person_keys VALUES ('p1', 'SHA256:k', 5);
    INSERT INTO rooms VALUES ('den', 'topic', 'vibe', 1, 'p1', 6);
    INSERT INTO members VALUES ('den', 'p1', 'owner');
    INSERT INTO room_values VALUES ('den', 'tool_scope', '["Gr*"]');
    INSERT INTO room_scripts VALUES ('den', 1, 'return 1', 'alice', 7);
    INSERT INTO entries VALUES ('01A', 'den', 8, 'notice', 'system', 'hello', '{"level":"info"}');
    INSERT INTO token_counts VALUES ('01A', 'o200k_base', 1);
    INSERT INTO turns VALUES ('T1', 'den', 'qwen', 'alice', 9, 10, 'done', 3, 4, NULL, '{"system":"s"}');`,
}

/** The first database that people had, with a row of each table. */
const first = {
  migrations: 5,
  rows: `${oldest.rows}
    INSERT INTO turn_steps VALUES ('T1', 1, '{"messages":[]}');
    INSERT INTO grants VALUES ('den', 1, 'p1', 'alice', 'run_command', 'ls', NULL, 'alice', 11);
    INSERT INTO results VALUES ('den', 4, 'Grep', 8000, 12, 5, 'found');
    INSERT INTO result_numbers VALUES ('den', 4);
    INSERT INTO calibrations VALUES ('qwen', 1.5, 3, 13);`,
}

/** A directory for migrations with the bundled ones in it, and room for more. */
function extendable(dir: string): {
  readonly path: string
  readonly add: (name: string, sql: string) => void
} {
  const path = join(dir, 'migrations')
  cpSync(paths.migrations, path, { recursive: true })
  return { path, add: (name, sql) => writeFileSync(join(path, name), sql) }
}

const next = (): string => String(readMigrations(paths.migrations).length + 1).padStart(3, '0')

const migrateWith = (migrationsDir: string): Promise<void> =>
  openAndClose({ ...sqliteOptions(''), file: ':memory:', migrationsDir })

async function openAndClose(options: StorageOptions): Promise<void> {
  await (await openStorage(options))[Symbol.asyncDispose]()
}

test('released SQLite migrations match their recorded hashes', () => {
  const present = Object.fromEntries(
    readMigrations(paths.migrations).map(({ name, sha256 }) => [name, sha256]),
  )
  expect(present).toEqual(released)
})

/** Makes a database of an older schema. Storage of today needs tables of today, so it is made without it. */
function makeOld(file: string, { migrations, rows }: typeof oldest): void {
  const known = readMigrations(paths.migrations).slice(0, migrations)
  const db = openDatabase({ file, migrations: known, busyMs: 10, now: () => 0 })
  db.exec(rows)
  const tables = db
    .prepare<[], { name: string }>("SELECT name FROM sqlite_schema WHERE type = 'table'")
    .all()
    .map(({ name }) => name)
  const isEmpty = (table: string): boolean => db.prepare(`SELECT 1 FROM ${table}`).get() === undefined
  expect(tables.filter(isEmpty), 'tables without a row').toEqual([])
  db.close()
}

test('a database of the oldest schema is migrated with all its data', async () => {
  using dir = temporaryDir()
  const options = sqliteOptions(dir.path)
  makeOld(options.file, oldest)
  await using storage = await openStorage(options)
  await expectAllOf(storage)
})

test('a database of the first release keeps its turns, grants, results and names when it is migrated', async () => {
  using dir = temporaryDir()
  const options = sqliteOptions(dir.path)
  makeOld(options.file, first)
  await using storage = await openStorage(options)
  await expectAllOf(storage)
  const den = 'den' as RoomName
  const { turns, calibrations } = storage.models
  expect(await turns.find('T1')).toMatchObject({ steps: [{ messages: [] }] })
  expect(await storage.tools.grants.list(den, 14)).toMatchObject([
    { id: 1, name: 'alice', tool: 'run_command', target: 'ls', by: 'alice', at: 11 },
  ])
  const { results } = storage.tools
  expect(await results.find(den, 4)).toMatchObject({ tool: 'Grep', pageSize: 8000, text: 'found' })
  const limits = { since: 0, roomBytes: 99, allBytes: 99 }
  expect(await results.put({ room: den, tool: 'Grep', pageSize: 1, at: 14, text: 'x' }, limits)).toBe(5)
  // Factors are kept for each server since then, so they are learned again (009-model-facts.sql).
  expect(await calibrations.find('qwen')).toBeUndefined()

  const { people } = storage.chat
  expect(await people.reindexNames()).toEqual({ names: 1, alike: [], unfit: [] })
  expect(await people.bySkeleton('alice', 14)).toMatchObject({ id: 'p1', admin: true })
  expect(await people.forLogin('alice', 'SHA256:k' as Fingerprint, 14)).toMatchObject({
    person: { id: 'p1' },
    ownsName: true,
  })
  // The Cyrillic а looks like the Latin a: the look of an old name is known, too.
  const newcomer = { id: 'p2' as PersonId, name: 'аlice', admin: false, guest: false }
  expect(await people.register(newcomer, 'other', undefined, 15)).toBe(false)
})

async function expectAllOf(storage: Storage): Promise<void> {
  const den = 'den' as RoomName
  const [member] = await storage.chat.rooms.members(den)
  expect(member).toMatchObject({ membership: 'owner', person: { name: 'alice', admin: true } })
  expect(await storage.chat.people.keysOf(member!.person.id)).toEqual(['SHA256:k'])
  expect(await storage.chat.rooms.find(den)).toMatchObject({ topic: 'topic', private: true, createdAt: 6 })
  expect(await storage.chat.rooms.getValue(den, 'tool_scope')).toEqual(['Gr*'])
  expect(await storage.prompts.scripts.current(den)).toMatchObject({ version: 1, source: 'return 1' })
  const [row] = await storage.prompts.history.newest(den, {
    encoding: 'o200k_base',
    maxRows: 9,
    maxTokens: 9,
  })
  expect(row).toMatchObject({ tokens: 1, entry: { id: '01A', kind: 'notice', level: 'info', text: 'hello' } })
  expect(await storage.models.turns.find('T1')).toMatchObject({
    usage: { input: 3, output: 4 },
    prompt: { system: 's' },
  })
}

test('a newer database is refused and left unchanged', async () => {
  using dir = temporaryDir()
  const options = sqliteOptions(dir.path)
  const { path, add } = extendable(dir.path)
  add(`${next()}-later.sql`, 'CREATE TABLE later (a TEXT) STRICT;')
  await openAndClose({ ...options, migrationsDir: path })
  const before = readFileSync(options.file)
  await expect(openStorage(options)).rejects.toMatchObject({
    reason: 'newer',
    message: expect.stringContaining('run the newer one') as string,
  })
  expect(readFileSync(options.file).equals(before)).toBe(true)
})

test('a failed migration is rolled back, and its corrected version is applied later', async () => {
  using dir = temporaryDir()
  const { path, add } = extendable(dir.path)
  const options = { ...sqliteOptions(dir.path), migrationsDir: path }
  const name = `${next()}-broken.sql`
  add(name, 'CREATE TABLE half (a TEXT) STRICT; INSERT INTO nowhere VALUES (1);')
  await expect(openStorage(options)).rejects.toThrow(`${name}: the database refused: no such table: nowhere`)
  add(name, 'CREATE TABLE half (a TEXT) STRICT;')
  await openAndClose(options)
})

test('a migration that was edited after it was applied is rejected', async () => {
  using dir = temporaryDir()
  const { path, add } = extendable(dir.path)
  const options = { ...sqliteOptions(dir.path), migrationsDir: path }
  const name = `${next()}-later.sql`
  add(name, 'CREATE TABLE later (a TEXT) STRICT;')
  await openAndClose(options)
  add(name, 'CREATE TABLE later (a TEXT, b TEXT) STRICT;')
  await expect(openStorage(options)).rejects.toThrow(`${name}: edited after it was applied`)
})

test('a migration that ends its own transaction is refused', async () => {
  using dir = temporaryDir()
  const { path, add } = extendable(dir.path)
  add(`${next()}-commits.sql`, 'CREATE TABLE later (a TEXT) STRICT; COMMIT;')
  await expect(migrateWith(path)).rejects.toThrow('it ends the transaction')
})

test('a missing or duplicate migration number is an error that names the file', async () => {
  using dir = temporaryDir()
  const { path, add } = extendable(dir.path)
  add('900-far.sql', '')
  await expect(migrateWith(path)).rejects.toThrow(/900-far\.sql: migration \d+ should stand here/)
  add('001-again.sql', '')
  await expect(migrateWith(path)).rejects.toThrow(/001-.*\.sql: migration 2 should stand here/)
})

test('a database is not opened if the migrations are missing or unreadable', async () => {
  using dir = temporaryDir()
  const empty = join(dir.path, 'empty')
  mkdirSync(empty)
  for (const path of [empty, join(dir.path, 'none')])
    await expect(migrateWith(path)).rejects.toThrow(`${path}: there are no migrations (001-….sql)`)
  const file = join(dir.path, 'file')
  writeFileSync(file, '')
  await expect(migrateWith(file)).rejects.toThrow(`${file}: cannot read the migrations`)
})

test.each(ODD_NAMES)('migrations are found in a directory called %j and through a symlink to it', (name) => {
  using dir = temporaryDir()
  const [path, link] = [join(dir.path, name), join(dir.path, `${name} link`)]
  cpSync(paths.migrations, path, { recursive: true })
  symlinkSync(path, link)
  const expected = readMigrations(paths.migrations)
  expect(readMigrations(path)).toEqual(expected)
  expect(readMigrations(link)).toEqual(expected)
})

test('a migration that is a dangling symlink is an error', async () => {
  using dir = temporaryDir()
  const { path } = extendable(dir.path)
  symlinkSync(join(dir.path, 'nowhere'), join(path, `${next()}-lost.sql`))
  await expect(migrateWith(path)).rejects.toThrow('there is no such file')
})
