import { cpSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { readMigrations } from '../../../../../src/adapters/storage/migrations.ts'
import { openStorage } from '../../../../../src/adapters/storage/open.ts'
import { paths } from '../../../../../src/app/paths.ts'
import { createNotify } from '../../../../../src/adapters/wire/notify.ts'
import { createDeferred } from '../../../../../src/lib/deferred.ts'
import { lacks } from '../../../../support/needs.ts'
import {
  createDatabase,
  createMigrated,
  postgresOptions,
  type TestDatabase,
} from '../../../../support/postgres/databases.ts'
import { advised, audited, logged, looked, poorRole, used } from '../../../../support/postgres/poor-role.ts'
import { message, temporaryDir } from '../../../../support/storage.ts'
import { idOf } from '../../../../contract/storage/cast.ts'

const LARAVEL = 'CREATE TABLE migrations (id integer, migration text, batch integer)'

/** What another program has in a schema that is looked through before ours. */
type Case = readonly [title: string, made: string]

const BEFORE_OURS: readonly Case[] = [
  ['a table', 'CREATE TABLE people (id integer, name text)'],
  [
    'a table that the role may use',
    'CREATE TABLE people (id integer, name text); GRANT ALL ON people TO ROLE',
  ],
  [
    'a table with our columns',
    'CREATE TABLE entries (LIKE public.entries INCLUDING ALL); GRANT ALL ON entries TO ROLE',
  ],
  ['a view', 'CREATE VIEW rooms AS SELECT 1 AS name'],
  ['a record of migrations', LARAVEL],
  ['a record of migrations that the role may read', `${LARAVEL}; GRANT SELECT ON migrations TO ROLE`],
  [
    'functions',
    `CREATE FUNCTION tell_news(text, text, text) RETURNS void LANGUAGE plpgsql AS $$ BEGIN RAISE 'no'; END $$;
      CREATE FUNCTION tell_change(text, text) RETURNS void LANGUAGE plpgsql AS $$ BEGIN RAISE 'no'; END $$`,
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
  test.each(BEFORE_OURS)('that has %s before ours is served beside those', async (_, made) => {
    await using database = await createMigrated()
    const { url } = await strangerFirst(database, made)
    expect([await looked(url), await used(url), await audited(url)]).toEqual(['', '', ''])
    expect(await logged(url)).toEqual([])
    expect(await database.send('SELECT count(*)::int AS lines FROM public.entries')).toEqual([{ lines: 1 }])
  })

  test('that has a record of migrations before ours, where the role may not enter our schema, is told to let it in', async () => {
    await using database = await createMigrated()
    const { role, url } = await strangerFirst(database, `${LARAVEL}; REVOKE USAGE ON SCHEMA public FROM ROLE`)
    const sentence = await looked(url)
    expect(sentence).toMatch(
      /does not find the tables of the schema public; run there: GRANT USAGE ON SCHEMA public TO \w+$/,
    )
    expect([await used(url), await audited(url)]).toEqual([sentence, sentence])
    await database.send(advised(sentence))
    expect([await looked(url), await used(url), await audited(url)]).toEqual(['', '', ''])
    expect(
      await database.send(`SELECT has_table_privilege('${role}', 'app.migrations', 'SELECT') AS may`),
    ).toEqual([{ may: false }])
  })

  test('gets a table with the name of ours while a server runs, which goes on with its own', async () => {
    await using database = await createMigrated()
    const { url } = await strangerFirst(database, 'SELECT 1')
    await using storage = await openStorage(postgresOptions({ url }))
    await storage.chat.log.append(message(idOf(1), 'lobby', 'before'))
    await database.send(`CREATE TABLE app.entries (LIKE public.entries INCLUDING ALL); GRANT ALL ON app.entries TO PUBLIC;
      SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name LIKE 'sshawl %' AND state = 'idle'`)
    await storage.chat.log.append(message(idOf(2), 'lobby', 'after'))
    expect(await database.send('SELECT count(*)::int AS lines FROM app.entries')).toEqual([{ lines: 0 }])
    expect(await database.send('SELECT count(*)::int AS lines FROM public.entries')).toEqual([{ lines: 2 }])
  })

  test('has functions with the names of PostgreSQL, which nothing of ours calls', async () => {
    await using database = await createMigrated()
    const { role, url } = await strangerFirst(
      database,
      `CREATE FUNCTION app.quote_ident(name) RETURNS text LANGUAGE plpgsql AS $$ BEGIN RAISE 'no'; END $$;
        CREATE FUNCTION app.unnest(text[]) RETURNS SETOF text LANGUAGE plpgsql AS $$ BEGIN RAISE 'no'; END $$;
        CREATE FUNCTION app.unnest(name[]) RETURNS SETOF text LANGUAGE plpgsql AS $$ BEGIN RAISE 'no'; END $$;
        CREATE FUNCTION app.current_schemas(boolean) RETURNS name[] LANGUAGE plpgsql AS $$ BEGIN RAISE 'no'; END $$;
        CREATE FUNCTION app.equal(text, text) RETURNS boolean LANGUAGE plpgsql AS $$ BEGIN RAISE 'no'; END $$;
        CREATE OPERATOR app.= (LEFTARG = text, RIGHTARG = text, FUNCTION = app.equal)`,
    )
    await database.send(`ALTER ROLE ${role} SET search_path = app, pg_catalog, public`)
    expect([await looked(url), await used(url), await audited(url)]).toEqual(['', '', ''])
    const heard = createDeferred<string>()
    const link = await createNotify(url).connect((subject) => heard.resolve(subject))
    link.want('subject')
    link.send('subject', Buffer.from('sealed'))
    expect(await heard.promise).toBe('subject')
    await link.close()
  })

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
    await open()
    const changed = "SELECT attrelid::regclass::text AS name FROM pg_attribute WHERE attname = 'more'"
    expect(await database.send(changed)).toEqual([{ name: 'people' }])
  })

  test('gets no tables of ours, which a migration would make beside the others', async () => {
    await using database = await createMigrated()
    const { role, url } = await strangerFirst(database, 'SELECT 1')
    await database.send(`GRANT CREATE ON SCHEMA app TO ${role}; ${OLDER}`)
    const sentence = await looked(url)
    expect(sentence).toMatch(/ may not change the table \w+; start this version with the role that owns it$/)
    expect(await used(url)).toBe(sentence)
    expect(await database.send("SELECT FROM pg_class WHERE relnamespace = 'app'::regnamespace")).toEqual([])
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
