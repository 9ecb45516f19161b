import { describe, expect, test } from 'vitest'
import { lacks } from '../../../../support/needs.ts'
import { createMigrated } from '../../../../support/postgres/databases.ts'
import { advised, logged, looked, poorRole, used } from '../../../../support/postgres/poor-role.ts'

const SECURE = 'ALTER TABLE entries ENABLE ROW LEVEL SECURITY'
const GOOD = `${SECURE}; CREATE POLICY good ON entries TO ROLE USING (true)`

/** The policies of a database, and what is said of them. */
type Case = readonly [title: string, made: string, told: RegExp]

const NARROW: readonly Case[] = [
  [
    'a policy that has the name of the role, for some commands',
    `${SECURE}; CREATE POLICY ROLE ON entries FOR SELECT TO ROLE USING (true);
      CREATE POLICY sshawl_1 ON entries FOR SELECT USING (true)`,
    /run there: CREATE POLICY sshawl_2 ON public\.entries TO poor_\w+ USING \(true\)$/,
  ],
  [
    'a policy for some rows',
    `${SECURE}; CREATE POLICY narrow ON entries USING (room = 'lounge')`,
    /run there: CREATE POLICY poor_\w+ ON public\.entries TO poor_\w+ USING \(true\)$/,
  ],
  [
    'a policy that stores some rows',
    `${SECURE}; CREATE POLICY narrow ON entries USING (true) WITH CHECK (room = 'lounge')`,
    /run there: CREATE POLICY poor_\w+ ON public\.entries TO poor_\w+ USING \(true\)$/,
  ],
  [
    'no policy for the record of migrations',
    'ALTER TABLE migrations ENABLE ROW LEVEL SECURITY',
    /run there: CREATE POLICY poor_\w+ ON public\.migrations TO poor_\w+ USING \(true\)$/,
  ],
  [
    'a restrictive policy',
    `${GOOD}; CREATE POLICY "No one" ON entries AS RESTRICTIVE USING (false)`,
    /^the restrictive policy "No one" keeps rows of the table entries from .* run there: DROP POLICY "No one" ON public\.entries$/,
  ],
  [
    'restrictive policies for what is stored, on two tables',
    `${GOOD}; ALTER TABLE sanctions ENABLE ROW LEVEL SECURITY; CREATE POLICY good ON sanctions USING (true);
      CREATE POLICY less ON entries AS RESTRICTIVE FOR INSERT TO ROLE WITH CHECK (room = 'lounge');
      CREATE POLICY less ON sanctions AS RESTRICTIVE FOR DELETE USING (false)`,
    / run there: DROP POLICY less ON public\.entries; DROP POLICY less ON public\.sanctions$/,
  ],
]

/** Policies that take nothing from the role. */
const WIDE: readonly (readonly [title: string, made: string])[] = [
  [
    'policies for each command',
    `${SECURE}; CREATE POLICY a ON entries FOR SELECT USING (true); CREATE POLICY b ON entries FOR INSERT WITH CHECK (true);
      CREATE POLICY c ON entries FOR UPDATE USING (true); CREATE POLICY d ON entries FOR DELETE USING (true)`,
  ],
  [
    'a restrictive policy that all rows pass',
    `${GOOD}; CREATE POLICY wide ON entries AS RESTRICTIVE USING (true)`,
  ],
  [
    'a restrictive policy for others',
    `${GOOD}; CREATE POLICY wide ON entries AS RESTRICTIVE TO pg_monitor USING (false)`,
  ],
  [
    'policies for writing into the record of migrations, which is only read',
    `ALTER TABLE migrations ENABLE ROW LEVEL SECURITY; CREATE POLICY good ON migrations FOR SELECT USING (true);
      CREATE POLICY less ON migrations AS RESTRICTIVE FOR INSERT WITH CHECK (false)`,
  ],
]

describe.skipIf(lacks('postgres'))('a PostgreSQL database with row level security', () => {
  test.each(NARROW)(
    'and %s: the role is told what to run there, and that is enough',
    async (_, made, told) => {
      await using database = await createMigrated()
      const { role, url } = await poorRole(database)
      await database.send(made.replaceAll('ROLE', role))
      const sentence = await looked(url)
      expect(sentence).toMatch(told)
      expect(await used(url)).not.toBe('')
      await database.send(advised(sentence))
      expect([await looked(url), await used(url), await logged(url)]).toEqual(['', '', []])
    },
  )

  test.each(WIDE)('and %s lacks nothing', async (_, made) => {
    await using database = await createMigrated()
    const { role, url } = await poorRole(database)
    await database.send(made.replaceAll('ROLE', role))
    expect([await looked(url), await used(url), await logged(url)]).toEqual(['', '', []])
  })
})
