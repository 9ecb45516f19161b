import { describe, expect, test } from 'vitest'
import { lacks } from '../../../../support/needs.ts'
import { createMigrated, type TestDatabase } from '../../../../support/postgres/databases.ts'
import { advised, audited, looked, used } from '../../../../support/postgres/poor-role.ts'

/** A role with no right on the tables that are there, which are another server's. */
async function newcomer(database: TestDatabase, made: string): Promise<{ role: string; url: string }> {
  const role = database.role('new')
  const name = new URL(database.url).pathname.slice(1)
  const text = `CREATE USER ROLE; GRANT CONNECT ON DATABASE ${name} TO ROLE; ${made}`
  await database.send(text.replaceAll('ROLE', role))
  return { role, url: Object.assign(new URL(database.url), { username: role }).toString() }
}

/** What the first server's tables have of the second one. */
const linesIn = async (database: TestDatabase, schema: string): Promise<unknown> =>
  (await database.send(`SELECT count(*)::int AS lines FROM ${schema}.entries`))[0]?.['lines']

const MOVED =
  'ALTER SCHEMA public RENAME TO first; CREATE SCHEMA public; GRANT USAGE ON SCHEMA public TO PUBLIC'

type Case = readonly [title: string, made: string, first: string, told: RegExp]

const OWN: readonly Case[] = [
  [
    'and no schema of its own',
    'SELECT 1',
    'public',
    / begin with GRANT SELECT ON public\.migrations TO (new_\w+); for tables of its own, run there: CREATE SCHEMA IF NOT EXISTS \1 AUTHORIZATION \1; ALTER ROLE \1 IN DATABASE \w+ SET search_path = \1$/,
  ],
  [
    'and a schema in front that it may not enter',
    'CREATE SCHEMA b; ALTER USER ROLE SET search_path = b, public',
    'public',
    /; for tables of its own, run there: GRANT USAGE, CREATE ON SCHEMA b TO new_\w+$/,
  ],
  [
    'elsewhere, and a schema that it may not enter',
    `${MOVED}; CREATE SCHEMA b; ALTER USER ROLE SET search_path = b`,
    'first',
    /^the schema first has .* GRANT SELECT ON first\.migrations .* own, run there: GRANT USAGE, CREATE ON SCHEMA b TO new_\w+$/,
  ],
  [
    'elsewhere, and a schema in which it may not make tables',
    `${MOVED}; CREATE SCHEMA b; GRANT USAGE ON SCHEMA b TO ROLE; ALTER USER ROLE SET search_path = b`,
    'first',
    / own, run there: GRANT USAGE, CREATE ON SCHEMA b TO new_\w+$/,
  ],
  [
    'and no schema to look into',
    "ALTER USER ROLE SET search_path = ''",
    'public',
    / own, run there: CREATE SCHEMA IF NOT EXISTS (new_\w+) AUTHORIZATION \1; ALTER ROLE \1 IN DATABASE \w+ SET search_path = \1$/,
  ],
]

describe.skipIf(lacks('postgres'))('a second sshawl in a PostgreSQL database', () => {
  test.each(OWN)('%s is told how to have tables of its own', async (_, made, first, told) => {
    await using database = await createMigrated()
    const { role, url } = await newcomer(database, made)
    const sentence = await looked(url)
    expect(sentence).toMatch(told)
    expect(await used(url)).toBe(sentence)
    await database.send(advised(sentence))
    expect([await looked(url), await used(url), await audited(url)]).toEqual(['', '', ''])
    expect(await linesIn(database, first)).toBe(0)
    expect(
      await database.send(
        `SELECT relname FROM pg_class WHERE relnamespace = '${first}'::regnamespace AND relkind = 'r' AND has_table_privilege('${role}', oid, 'SELECT')`,
      ),
    ).toEqual([])
  })

  test.each([
    ['and a schema of its own in front', 'CREATE SCHEMA ROLE AUTHORIZATION ROLE', 'public'],
    [
      "elsewhere, and another program's record behind its own schema",
      `${MOVED}; CREATE TABLE public.migrations (id integer); GRANT SELECT ON public.migrations TO PUBLIC;
        CREATE SCHEMA b AUTHORIZATION ROLE; ALTER USER ROLE SET search_path = b, public`,
      'first',
    ],
    [
      'and everybody may read those of the first',
      'CREATE SCHEMA ROLE AUTHORIZATION ROLE; GRANT SELECT ON ALL TABLES IN SCHEMA public TO PUBLIC',
      'public',
    ],
    [
      'with PostgreSQL first in its search_path',
      'CREATE SCHEMA b AUTHORIZATION ROLE; ALTER USER ROLE SET search_path = pg_catalog, b, public',
      'public',
    ],
    [
      'with temporary tables first',
      'CREATE SCHEMA b AUTHORIZATION ROLE; ALTER USER ROLE SET search_path = pg_temp, b',
      'public',
    ],
    [
      'in a schema with an odd name',
      'CREATE SCHEMA "a,""b" AUTHORIZATION ROLE; ALTER USER ROLE SET search_path = "a,""b"',
      'public',
    ],
  ])('%s makes tables of its own there', async (_, made, first) => {
    await using database = await createMigrated()
    const { url } = await newcomer(database, made)
    expect([await looked(url), await used(url), await audited(url)]).toEqual(['', '', ''])
    expect(await linesIn(database, first)).toBe(0)
  })

  test('stays with its own tables where another one gives it some in front of them', async () => {
    await using database = await createMigrated()
    const { role, url } = await newcomer(
      database,
      'CREATE SCHEMA zz AUTHORIZATION ROLE; ALTER USER ROLE SET search_path = a, zz',
    )
    expect(await used(url)).toBe('')
    await database.send(`CREATE SCHEMA a; GRANT USAGE ON SCHEMA a TO ${role};
      DO $$ DECLARE one name; BEGIN
        FOR one IN SELECT relname FROM pg_class WHERE relnamespace = 'public'::regnamespace AND relkind = 'r' LOOP
          EXECUTE format('CREATE TABLE a.%I (LIKE public.%I INCLUDING ALL)', one, one);
        END LOOP;
      END $$; INSERT INTO a.migrations SELECT * FROM public.migrations; GRANT ALL ON ALL TABLES IN SCHEMA a TO ${role}`)
    expect([await looked(url), await used(url)]).toEqual(['', ''])
    expect([await linesIn(database, 'a'), await linesIn(database, 'zz')]).toEqual([0, 2])
  })

  test('that may make tables makes no others where it does not find its own', async () => {
    await using database = await createMigrated()
    const { role, url } = await newcomer(
      database,
      'CREATE SCHEMA zz AUTHORIZATION ROLE; ALTER USER ROLE SET search_path = zz',
    )
    expect(await used(url)).toBe('')
    await database.send(`CREATE SCHEMA free AUTHORIZATION ${role}; ALTER ROLE ${role} SET search_path = free`)
    const sentence = await looked(url)
    expect(sentence).toMatch(
      /^the role new_\w+ does not find the tables of the schema zz; run there: ALTER ROLE /,
    )
    expect([await used(url), await audited(url)]).toEqual([sentence, sentence])
    await database.send(advised(sentence))
    expect([await looked(url), await used(url)]).toEqual(['', ''])
    expect(await linesIn(database, 'zz')).toBe(2)
  })

  test('is led on to the same rooms by the other possibility', async () => {
    await using database = await createMigrated()
    const { role, url } = await newcomer(
      database,
      'CREATE SCHEMA b; ALTER USER ROLE SET search_path = b, public',
    )
    expect(await looked(url)).toMatch(/ begin with GRANT SELECT ON public\.migrations TO /)
    await database.send(`GRANT SELECT ON public.migrations TO ${role}`)
    await database.send(advised(await looked(url)))
    expect([await looked(url), await used(url)]).toEqual(['', ''])
    expect(await linesIn(database, 'public')).toBe(1)
  })

  test.each([
    ['elsewhere', 'ALTER SCHEMA public RENAME TO first; CREATE SCHEMA public'],
    ['in public', 'SELECT 1'],
  ])('that lost its search_path is led back to its own, and not to the first %s', async (_, moved) => {
    await using database = await createMigrated()
    const { role, url } = await newcomer(
      database,
      `CREATE SCHEMA zz AUTHORIZATION ROLE; ALTER USER ROLE SET search_path = zz`,
    )
    expect(await used(url)).toBe('')
    await database.send(
      `ALTER ROLE ${role} RESET search_path; ${moved}; GRANT USAGE ON SCHEMA public TO PUBLIC`,
    )
    const sentence = await looked(url)
    expect(sentence).toMatch(/ run there: ALTER ROLE .* SET search_path = zz$/)
    expect([await used(url), await audited(url)]).toEqual([sentence, sentence])
    await database.send(advised(sentence))
    expect([await looked(url), await used(url)]).toEqual(['', ''])
    expect(await linesIn(database, 'zz')).toBe(2)
  })
})
