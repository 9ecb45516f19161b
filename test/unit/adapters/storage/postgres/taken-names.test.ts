import { cpSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { readMigrations } from '../../../../../src/adapters/storage/migrations.ts'
import { openStorage } from '../../../../../src/adapters/storage/open.ts'
import { paths } from '../../../../../src/app/paths.ts'
import { lacks } from '../../../../support/needs.ts'
import { createDatabase, postgresOptions, type TestDatabase } from '../../../../support/postgres/databases.ts'
import { advised, audited, looked, poorRole, used } from '../../../../support/postgres/poor-role.ts'
import { temporaryDir } from '../../../../support/storage.ts'

/** A database as the version with so many migrations leaves it. */
async function createOlder(kept: number): Promise<TestDatabase> {
  using dir = temporaryDir()
  cpSync(paths.migrations, dir.path, { recursive: true })
  const postgres = join(dir.path, 'postgres')
  for (const { name } of readMigrations(postgres).slice(kept)) rmSync(join(postgres, name))
  const database = await createDatabase()
  const storage = await openStorage({ ...postgresOptions(database), migrationsDir: dir.path })
  await storage[Symbol.asyncDispose]()
  return database
}

/** The role of a server, which owns what is in the schema `public`. */
async function owner(database: TestDatabase): Promise<{ role: string; url: string }> {
  const { role, url } = await poorRole(database)
  await database.send(`DO $$ DECLARE one regclass; BEGIN
      FOR one IN SELECT oid FROM pg_class WHERE relnamespace = 'public'::regnamespace AND relkind = 'r' LOOP
        EXECUTE format('ALTER TABLE %s OWNER TO ${role}', one);
      END LOOP;
    END $$; GRANT CREATE ON SCHEMA public TO ${role}`)
  return { role, url }
}

const FRESH = [
  ['a table', 'CREATE TABLE orders (id integer)', 'table orders'],
  ['a view', 'CREATE VIEW people AS SELECT 1', 'view people'],
  ['a sequence', 'CREATE SEQUENCE people_by_look', 'sequence people_by_look'],
  ['a type', 'CREATE TYPE rooms AS (name text)', 'type rooms'],
  ['a type of texts', "CREATE TYPE migrations AS ENUM ('one')", 'type migrations'],
  [
    'a function',
    'CREATE FUNCTION tell_news(text, text, text) RETURNS void LANGUAGE sql AS $$ SELECT $$',
    'function tell_news',
  ],
] as const

const LATER = [
  ['a table', 'CREATE TABLE secrets (mine text)', 'table secrets', '005-secrets.sql'],
  ['a view', 'CREATE VIEW secrets AS SELECT 1', 'view secrets', '005-secrets.sql'],
  [
    'a function',
    'CREATE FUNCTION question_changed() RETURNS void LANGUAGE sql AS $$ SELECT $$',
    'function question_changed',
    '004-shared-work.sql',
  ],
] as const

describe.skipIf(lacks('postgres'))('a name that a migration of PostgreSQL gives', () => {
  test.each(FRESH)('and that %s has in an empty schema is told in words', async (_, made, what) => {
    await using database = await createDatabase()
    const { url } = await owner(database)
    await database.send(made)
    const sentence = `the database in [storage] url has a ${what} of another program; make an empty one with createdb`
    expect([await looked(url), await used(url)]).toEqual([sentence, sentence])
  })

  test.each(LATER)('and that %s has beside an older schema is told in words', async (_, made, what, file) => {
    await using database = await createOlder(3)
    const { url } = await owner(database)
    await database.send(made)
    const sentence = `the database in [storage] url has a ${what} of another program in the schema public, where ${file} makes one of this name; rename that one, or move it to another schema`
    expect([await looked(url), await used(url)]).toEqual([sentence, sentence])
    expect(await database.send('SELECT max(version)::int AS version FROM migrations')).toEqual([
      { version: 3 },
    ])
  })

  test("gives no right on another program's table, whether the record can be read or not", async () => {
    await using database = await createOlder(3)
    const { role, url } = await owner(database)
    await database.send(`CREATE TABLE secrets (mine text); REVOKE ALL ON migrations FROM ${role}`)
    const sentence = await looked(url)
    expect(sentence).toMatch(/ run there: GRANT SELECT ON public\.migrations TO \w+$/)
    expect([await used(url), await audited(url)]).toEqual([sentence, sentence])
    await database.send(advised(sentence))
    for (const said of [await looked(url), await used(url), await audited(url)])
      expect(said).toMatch(/ has a table secrets of another program in the schema public, /)
  })

  test('may be that of a function with other parameters', async () => {
    await using database = await createDatabase()
    const { url } = await owner(database)
    await database.send('CREATE FUNCTION tell_news(integer) RETURNS integer LANGUAGE sql AS $$ SELECT 1 $$')
    expect([await looked(url), await used(url)]).toEqual(['', ''])
  })

  test.each([
    ['a policy for reading', 'CREATE POLICY p ON migrations FOR SELECT USING (true)', 'CREATE POLICY'],
    [
      'a restrictive policy for inserting',
      `CREATE POLICY p ON migrations USING (true);
        CREATE POLICY q ON migrations AS RESTRICTIVE FOR INSERT WITH CHECK (version < 2)`,
      'DROP POLICY q ON',
    ],
  ])('is recorded, which %s keeps the role from', async (_, made, advice) => {
    await using database = await createOlder(3)
    const { url } = await owner(database)
    await database.send(`ALTER TABLE migrations FORCE ROW LEVEL SECURITY; ALTER TABLE migrations ENABLE ROW LEVEL SECURITY;
      ${made}`)
    const sentence = await looked(url)
    expect(sentence).toContain(`run there: ${advice}`)
    expect(await used(url)).toBe(sentence)
    await database.send(advised(sentence))
    expect([await looked(url), await used(url)]).toEqual(['', ''])
  })
})
