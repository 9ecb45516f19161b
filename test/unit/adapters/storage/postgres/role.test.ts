import { describe, expect, test } from 'vitest'
import { lacks } from '../../../../support/needs.ts'
import { createMigrated } from '../../../../support/postgres/databases.ts'
import { advised, audited, logged, looked, poorRole, used } from '../../../../support/postgres/poor-role.ts'

/** What is taken from a role, and what is said of it. */
type Case = readonly [title: string, taken: (role: string, database: string) => string, told: RegExp]

/** Where a role cannot reach the tables at all, a check, an audit and a server say the same. */
const UNREACHABLE: readonly Case[] = [
  [
    'whose search_path is empty',
    (role) => `ALTER ROLE ${role} SET search_path = ''`,
    /^the role poor_\w+ does not find .* run there: ALTER ROLE poor_\w+ IN DATABASE \w+ SET search_path = public$/,
  ],
  [
    'without USAGE of the schema',
    (role) => `REVOKE USAGE ON SCHEMA public FROM ${role}`,
    /run there: GRANT USAGE ON SCHEMA public TO poor_\w+$/,
  ],
  [
    'without both',
    (role) => `ALTER ROLE ${role} SET search_path = ''; REVOKE USAGE ON SCHEMA public FROM ${role}`,
    /run there: GRANT USAGE ON SCHEMA public TO poor_\w+; ALTER ROLE poor_\w+ IN DATABASE \w+ SET search_path = public$/,
  ],
  [
    'that may not read the record of migrations',
    (role) => `REVOKE SELECT ON migrations FROM ${role}`,
    / may not read the table migrations; run there: GRANT SELECT ON public\.migrations TO poor_\w+$/,
  ],
  [
    'that may not connect',
    (role, database) => `REVOKE CONNECT ON DATABASE ${database} FROM ${role}`,
    /may not connect .* run there: GRANT CONNECT ON DATABASE "\w+" TO "poor_\w+"$/,
  ],
]

/** A server opens the database, and can do something and not all. */
const UNFIT: readonly Case[] = [
  [
    'that only reads by default',
    (role) => `ALTER ROLE ${role} SET default_transaction_read_only = on`,
    /only reads: default_transaction_read_only is on for the role poor_\w+; run there: BEGIN READ WRITE; ALTER ROLE /,
  ],
  [
    'in a database that only reads by default',
    (_, database) => `ALTER DATABASE ${database} SET default_transaction_read_only = on`,
    /only reads: default_transaction_read_only is on for the role poor_\w+; run there: BEGIN READ WRITE; ALTER ROLE /,
  ],
  [
    'that may not delete from two tables, where another schema comes first',
    (role) => `CREATE SCHEMA other; GRANT USAGE ON SCHEMA other TO ${role};
      ALTER ROLE ${role} SET search_path = other, public; REVOKE DELETE ON servers, away FROM ${role}`,
    / table away; run there: GRANT SELECT, INSERT, UPDATE, DELETE ON public\.away, public\.servers TO poor_\w+$/,
  ],
  [
    'that row level security keeps out, and no policy lets in',
    (role) => `ALTER TABLE entries ENABLE ROW LEVEL SECURITY; ALTER TABLE sanctions ENABLE ROW LEVEL SECURITY;
      CREATE POLICY look ON entries FOR SELECT TO ${role} USING (true)`,
    /row level security .* table entries; run there: CREATE POLICY poor_\w+ ON public\.entries TO poor_\w+ USING \(true\); CREATE POLICY poor_\w+ ON public\.sanctions /,
  ],
  [
    'that may not call the functions',
    () => 'REVOKE EXECUTE ON ALL FUNCTIONS IN SCHEMA public FROM PUBLIC',
    /call the function tell_change; run there: GRANT EXECUTE ON FUNCTION public\.tell_change\(.*\), public\.tell_news\(.*\) TO poor_\w+$/,
  ],
]

/** What an audit says meanwhile, where it is not all the same to it. */
const TO_READERS: Readonly<Record<string, RegExp>> = {
  'that row level security keeps out, and no policy lets in':
    /from rows of the table sanctions; run there: CREATE POLICY poor_\w+ ON public\.sanctions TO poor_\w+ USING \(true\)$/,
}

describe.skipIf(lacks('postgres'))('the role of a PostgreSQL database', () => {
  test.each(UNREACHABLE)('%s is told what to run there, and that is enough', async (_, taken, expected) => {
    await using database = await createMigrated()
    const { role, name, url } = await poorRole(database)
    await database.send(taken(role, name))
    const sentence = await looked(url)
    expect(sentence).toMatch(expected)
    expect([await used(url), await audited(url)]).toEqual([sentence, sentence])
    await database.send(advised(sentence))
    expect([await looked(url), await used(url), await audited(url)]).toEqual(['', '', ''])
  })

  test.each(UNFIT)('%s is told what to run there, and that is enough', async (title, taken, expected) => {
    await using database = await createMigrated()
    const { role, name, url } = await poorRole(database)
    await database.send(taken(role, name))
    const sentence = await looked(url)
    expect(sentence).toMatch(expected)
    expect(await logged(url)).toContainEqual({ why: sentence })
    expect(await audited(url)).toMatch(TO_READERS[title] ?? /^$/)
    await database.send(advised(sentence))
    expect([await looked(url), await used(url), await logged(url)]).toEqual(['', '', []])
    expect(await audited(url)).toBe('')
  })
})
