import { describe, expect, test } from 'vitest'
import { weaknessesOf } from '../../../../../src/adapters/storage/open.ts'
import { lacks } from '../../../../support/needs.ts'
import { createDatabase } from '../../../../support/postgres/databases.ts'
import { looked, used } from '../../../../support/postgres/poor-role.ts'

/** A database with a role of ours that has nothing yet, and one that may make tables, and gives ours all rights on what it made. */
async function scene(made = '') {
  const database = await createDatabase()
  const name = new URL(database.url).pathname.slice(1)
  const [ours, evil] = [database.role('ours'), database.role('evil')]
  const urlOf = (user: string): string => Object.assign(new URL(database.url), { username: user }).toString()
  const send = (text: string) => database.send(text.replaceAll('OURS', ours).replaceAll('EVIL', evil))
  await send(`CREATE USER OURS; CREATE USER EVIL; GRANT CONNECT, CREATE ON DATABASE ${name} TO EVIL;
    GRANT CREATE ON SCHEMA public TO PUBLIC; ${made}`)
  return {
    send,
    ours,
    evil,
    url: urlOf(ours),
    superuser: database.url,
    /** The other role has tables of sshawl there. */
    async plant(schema: string) {
      await send(
        `CREATE SCHEMA IF NOT EXISTS ${schema} AUTHORIZATION EVIL; ALTER ROLE EVIL SET search_path = ${schema}`,
      )
      expect(await used(urlOf(evil))).toBe('')
      await send(`GRANT USAGE ON SCHEMA ${schema} TO PUBLIC;
        GRANT ALL ON ALL TABLES IN SCHEMA ${schema} TO PUBLIC; GRANT ALL ON ALL SEQUENCES IN SCHEMA ${schema} TO PUBLIC`)
    },
    owners: async () =>
      (
        await send(
          "SELECT DISTINCT schemaname, tableowner FROM pg_tables WHERE tablename = 'entries' ORDER BY 1",
        )
      ).map(({ schemaname, tableowner }) => `${String(schemaname)} ${String(tableowner)}`),
    [Symbol.asyncDispose]: () => database[Symbol.asyncDispose](),
  }
}

describe.skipIf(lacks('postgres'))('tables that another role made, and gave', () => {
  test('are not taken for those of a role that has a schema of its own; it says whose they are, and how to go on', async () => {
    await using it = await scene('CREATE SCHEMA OURS AUTHORIZATION OURS')
    await it.plant('public')
    const sentence = await looked(it.url)
    expect(sentence).toMatch(
      /^the role ours_\w+ does not find the tables of the schema public, which belong to evil_\w+; if this server is to serve the rooms in them, run there: ALTER ROLE .* search_path = public; for tables of its own, run there: REVOKE ALL ON ALL TABLES IN SCHEMA public FROM ours_\w+, PUBLIC$/,
    )
    expect(await used(it.url)).toBe(sentence)
    await it.send('REVOKE ALL ON ALL TABLES IN SCHEMA public FROM OURS, PUBLIC')
    expect([await looked(it.url), await used(it.url)]).toEqual(['', ''])
    expect(await it.owners()).toEqual([`${it.ours} ${it.ours}`, `public ${it.evil}`])
    expect(await weaknessesOf(it.url)).toEqual([])
  })

  test('are not found where the role does not look for them', async () => {
    await using it = await scene()
    await it.plant('trap')
    expect([await looked(it.url), await used(it.url)]).toEqual(['', ''])
    expect(await it.owners()).toEqual([`public ${it.ours}`, `trap ${it.evil}`])
  })

  test('are served where the role has no others, and `check` says who reads all', async () => {
    await using it = await scene()
    await it.plant('public')
    expect([await looked(it.url), await used(it.url)]).toEqual(['', ''])
    expect(await weaknessesOf(it.url)).toEqual([
      expect.stringMatching(
        /^the tables in the schema public belong to evil_\w+, who reads all .* run as ours_\w+;/,
      ),
    ])
  })

  test("do not come before a superuser's own", async () => {
    await using it = await scene()
    expect(await used(it.superuser)).toBe('')
    await it.plant('postgres')
    expect([await looked(it.superuser), await used(it.superuser)]).toEqual(['', ''])
    expect(await it.send('SELECT count(*)::int AS lines FROM public.entries')).toEqual([{ lines: 2 }])
    expect(await it.send('SELECT count(*)::int AS lines FROM postgres.entries')).toEqual([{ lines: 1 }])
    expect(await weaknessesOf(it.superuser)).toEqual([])
  })
})
