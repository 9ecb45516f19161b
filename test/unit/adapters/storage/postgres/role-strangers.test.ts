import { cpSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { readMigrations } from '../../../../../src/adapters/storage/migrations.ts'
import { damageOf, openStorage } from '../../../../../src/adapters/storage/open.ts'
import { paths } from '../../../../../src/app/paths.ts'
import { lacks } from '../../../../support/needs.ts'
import {
  createDatabase,
  createMigrated,
  postgresOptions,
  type TestDatabase,
} from '../../../../support/postgres/databases.ts'
import { advised, audited, logged, looked, poorRole, used } from '../../../../support/postgres/poor-role.ts'
import { temporaryDir } from '../../../../support/storage.ts'

const LARAVEL = 'CREATE TABLE migrations (id integer, migration text, batch integer)'

/** What another program has in a schema that is looked through before ours, and what is said of it. */
type Case = readonly [title: string, made: string, told: RegExp]

const BEFORE_OURS: readonly Case[] = [
  [
    'a table',
    'CREATE TABLE people (id integer, name text)',
    /finds app\.people of another program first, and not public\.people of sshawl; .* SET search_path = public$/,
  ],
  [
    'a table that the role may use',
    'CREATE TABLE people (id integer, name text); GRANT ALL ON people TO ROLE',
    /finds app\.people of another program first, and not public\.people of sshawl; .* SET search_path = public$/,
  ],
  [
    'a view',
    'CREATE VIEW rooms AS SELECT 1 AS name',
    /finds app\.rooms of another program first, and not public\.rooms of sshawl; .* SET search_path = public$/,
  ],
  [
    'a record of migrations',
    LARAVEL,
    /finds app\.migrations of another program first, and not public\.migrations of sshawl; .* SET search_path = public$/,
  ],
  [
    'a record of migrations that the role may read',
    `${LARAVEL}; GRANT SELECT ON migrations TO ROLE`,
    /finds app\.migrations of another program first, and not public\.migrations of sshawl; .* SET search_path = public$/,
  ],
  [
    'a record of migrations, where the role may not enter our schema either,',
    `${LARAVEL}; REVOKE USAGE ON SCHEMA public FROM ROLE`,
    /finds app\.migrations of .*; .* run there: GRANT USAGE ON SCHEMA public TO \w+; ALTER ROLE .* SET search_path = public$/,
  ],
]

/** A role that looks through the schema `app` of another program before ours. */
async function strangerFirst(database: TestDatabase, made: string): Promise<{ role: string; url: string }> {
  const { role, url } = await poorRole(database)
  await database.send(`CREATE SCHEMA app; GRANT USAGE ON SCHEMA app TO ${role}; SET search_path = app;
    ${made.replaceAll('ROLE', role)}; ALTER ROLE ${role} SET search_path = app, public`)
  return { role, url }
}

/** Our schema is as a version before left it. */
const OLDER = `DELETE FROM public.migrations WHERE version = 5;
  DROP TABLE public.secrets; DROP FUNCTION public.forget_claim() CASCADE`

describe.skipIf(lacks('postgres'))('a PostgreSQL database with tables of another program', () => {
  test.each(BEFORE_OURS)(
    'that has %s before ours: the role is told to look elsewhere',
    async (_, made, told) => {
      await using database = await createMigrated()
      const { url } = await strangerFirst(database, made)
      const sentence = await looked(url)
      expect(sentence).toMatch(told)
      expect([await used(url), await audited(url)]).toEqual([sentence, sentence])
      await database.send(advised(sentence))
      expect([await looked(url), await used(url), await audited(url)]).toEqual(['', '', ''])
      expect(await logged(url)).toEqual([])
    },
  )

  test('is told apart by its record of migrations, whether the role may read that or not', async () => {
    await using database = await createDatabase()
    const { role, url } = await poorRole(database)
    await database.send(LARAVEL)
    const sentence =
      'the database in [storage] url has a table migrations of another program; make an empty one with createdb'
    for (const granted of ['SELECT 1', `GRANT ALL ON migrations TO ${role}`]) {
      await database.send(granted)
      expect([await looked(url), await used(url), await audited(url)]).toEqual([sentence, sentence, sentence])
    }
  })

  test('is not changed by a migration that means our tables', async () => {
    await using database = await createMigrated()
    const { role, url } = await strangerFirst(database, 'CREATE TABLE people (id integer)')
    await database.send(`ALTER ROLE ${role} SUPERUSER`)
    using dir = temporaryDir()
    cpSync(paths.migrations, dir.path, { recursive: true })
    const newest = readMigrations(join(dir.path, 'postgres')).length
    writeFileSync(
      join(dir.path, 'postgres', `${String(newest + 1).padStart(3, '0')}-more.sql`),
      'ALTER TABLE people ADD COLUMN more TEXT;',
    )
    const open = async (): Promise<void> =>
      (await openStorage({ ...postgresOptions({ url }), migrationsDir: dir.path }))[Symbol.asyncDispose]()
    await expect(open()).rejects.toThrow(/ finds app\.people of another program first/)
    await expect(damageOf(url, dir.path)).rejects.toThrow(/ finds app\.people of another program first/)
    await database.send(advised(await looked(url)))
    await open()
    const changed = "SELECT attrelid::regclass::text AS name FROM pg_attribute WHERE attname = 'more'"
    expect(await database.send(changed)).toEqual([{ name: 'people' }])
  })

  test('gets no tables of ours, which a migration would make beside the others', async () => {
    await using database = await createMigrated()
    const { role, url } = await strangerFirst(database, 'SELECT 1')
    await database.send(`GRANT CREATE ON SCHEMA app TO ${role}; ${OLDER}`)
    const sentence = await looked(url)
    expect(sentence).toMatch(
      / makes tables in the schema app, and those of sshawl are in public; run there: ALTER /,
    )
    expect(await used(url)).toBe(sentence)
    await database.send(advised(sentence))
    expect(await looked(url)).toMatch(
      / may not make tables; run there: GRANT USAGE, CREATE ON SCHEMA public TO /,
    )
  })

  test('is not found first any more once the URL does not say so', async () => {
    await using database = await createMigrated()
    const { url } = await poorRole(database)
    await database.send(
      'CREATE SCHEMA app; GRANT USAGE ON SCHEMA app TO PUBLIC; CREATE VIEW app.rooms AS SELECT 1',
    )
    expect(await looked(`${url}?options=-c%20search_path%3Dapp,public`)).toMatch(
      /finds app\.rooms of .*, or take search_path out of url in \[storage\], or out of PGOPTIONS$/,
    )
    expect([await looked(url), await used(url)]).toEqual(['', ''])
  })

  test('keeps its functions, of which only ours are to be called', async () => {
    await using database = await createMigrated()
    const { url } = await strangerFirst(
      database,
      'CREATE FUNCTION tell_news(integer) RETURNS integer LANGUAGE sql AS $$ SELECT 1 $$',
    )
    await database.send('REVOKE EXECUTE ON ALL FUNCTIONS IN SCHEMA app, public FROM PUBLIC')
    const sentence = await looked(url)
    expect(sentence).not.toContain('app.')
    await database.send(advised(sentence))
    expect([await looked(url), await used(url)]).toEqual(['', ''])
  })
})
