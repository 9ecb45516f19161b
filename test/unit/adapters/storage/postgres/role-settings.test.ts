import { chmodSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { weaknessesOf } from '../../../../../src/adapters/storage/open.ts'
import { lacks } from '../../../../support/needs.ts'
import { createDatabase, createMigrated } from '../../../../support/postgres/databases.ts'
import { advised, logged, looked, poorRole, used } from '../../../../support/postgres/poor-role.ts'
import { freePort, startAgain, startServer, stopServer } from '../../../../support/postgres/server.ts'
import { temporaryDir } from '../../../../support/storage.ts'

describe.skipIf(lacks('postgres'))('the role of a PostgreSQL database, with what else is there', () => {
  test('may have nothing to do with the tables of other programs beside ours', async () => {
    await using database = await createMigrated()
    const { role, url } = await poorRole(database)
    await database.send('CREATE TABLE others (secret text); CREATE VIEW more AS SELECT 1')
    expect([await looked(url), await used(url)]).toEqual(['', ''])
    await database.send(`REVOKE ALL ON ALL TABLES IN SCHEMA public FROM ${role}`)
    expect(await looked(url)).toMatch(
      /^the schema public has tables of another sshawl, .* begin with GRANT SELECT ON public\.migrations TO poor_\w+; for tables of its own, run there: CREATE SCHEMA /,
    )
    await database.send(`GRANT SELECT ON public.migrations TO ${role}`)
    await database.send(advised(await looked(url)))
    expect([await looked(url), await used(url)]).toEqual(['', ''])
    expect(await database.send(`SELECT has_table_privilege('${role}', 'others', 'SELECT') AS may`)).toEqual([
      { may: false },
    ])
  })

  test('is judged with what the URL sets for it, which no statement changes', async () => {
    await using database = await createMigrated()
    const { url } = await poorRole(database)
    const setting = (option: string): string => `${url}?options=-c%20${option}`
    const reads = setting('default_transaction_read_only%3Don')
    expect(await looked(reads)).toMatch(/; take default_transaction_read_only out of url in \[storage\]/)
    expect(await used(reads)).toBe(
      'the database in [storage] url only reads; sshawl check says why, and what to do',
    )
    expect(await looked(setting('search_path%3Dnone'))).toMatch(
      /; take search_path out of url in \[storage\]/,
    )
    await database.send('CREATE SCHEMA other; GRANT USAGE ON SCHEMA other TO PUBLIC')
    expect(await looked(setting('search_path%3Dother'))).toMatch(
      /^the role poor_\w+ does not find the tables of the schema public; take search_path out of url in \[storage\]/,
    )
    expect(await weaknessesOf(setting('synchronous_commit%3Doff'))).toEqual([
      expect.stringMatching(
        /^synchronous_commit is off .*; take synchronous_commit out of url in \[storage\]/,
      ),
    ])
  })

  test('that turns row security off is told to turn it on, where a table has it', async () => {
    await using database = await createMigrated()
    const { role, url } = await poorRole(database)
    await database.send(`ALTER ROLE ${role} SET row_security = off`)
    expect([await looked(url), await used(url)]).toEqual(['', ''])
    await database.send(
      `ALTER TABLE entries ENABLE ROW LEVEL SECURITY; CREATE POLICY ours ON entries TO ${role} USING (true)`,
    )
    const sentence = await looked(url)
    expect(sentence).toMatch(/^row_security is off .* table entries .* SET row_security = on$/)
    await database.send(advised(sentence))
    expect([await looked(url), await used(url)]).toEqual(['', ''])
  })

  test('that another one logs in as is helped by a setting of that one', async () => {
    await using database = await createMigrated()
    const { role, url } = await poorRole(database)
    const login = database.role('login')
    await database.send(`CREATE ROLE ${login} LOGIN IN ROLE ${role}; ALTER ROLE ${login} SET role = '${role}';
      ALTER ROLE ${login} SET search_path = ''`)
    const asLogin = Object.assign(new URL(url), { username: login }).toString()
    const sentence = await looked(asLogin)
    expect(sentence).toContain(`ALTER ROLE ${login} IN DATABASE`)
    await database.send(advised(sentence))
    expect([await looked(asLogin), await used(asLogin)]).toEqual(['', ''])
  })

  test('of a standby is told to go to the primary server', async () => {
    using dir = temporaryDir()
    chmodSync(dir.path, 0o755)
    const server = join(dir.path, 'server')
    mkdirSync(server)
    const port = await freePort()
    const url = await startServer(server, port)
    expect(await used(url)).toBe('')
    await stopServer(server)
    writeFileSync(join(server, 'data', 'standby.signal'), '')
    await startAgain(server, port)
    const sentence = 'the database is a standby, which only reads; name the primary server in [storage] url'
    expect(await looked(url)).toBe(sentence)
    expect(await logged(url)).toContainEqual({ why: sentence })
    await stopServer(server)
  })

  test('of an empty database without a way to it is told both what to grant and where to look', async () => {
    await using database = await createDatabase()
    const { role, url } = await poorRole(database)
    await database.send(`ALTER ROLE ${role} SET search_path = ''`)
    const sentence = await looked(url)
    expect(sentence).toMatch(
      /make tables; run there: GRANT USAGE, CREATE ON SCHEMA public TO .*; ALTER ROLE .* = public$/,
    )
    expect(await used(url)).toBe(sentence)
    await database.send(advised(sentence))
    expect([await looked(url), await used(url)]).toEqual(['', ''])
  })

  test('is warned of where it has few connections, or forgets in a crash what it acknowledged', async () => {
    await using database = await createMigrated()
    const { role, url } = await poorRole(database)
    expect(await weaknessesOf(url)).toEqual([])
    await database.send(
      `ALTER ROLE ${role} CONNECTION LIMIT 13; ALTER ROLE ${role} SET synchronous_commit = off`,
    )
    expect(await weaknessesOf(url)).toEqual([
      expect.stringMatching(
        /^the role poor_\w+ may have 13 connections, and a server has up to 14: .* CONNECTION LIMIT /,
      ),
      expect.stringMatching(/^synchronous_commit is off .* run there: ALTER ROLE poor_\w+ IN DATABASE /),
    ])
    await database.send(`ALTER ROLE ${role} CONNECTION LIMIT 14`)
    await database.send(advised((await weaknessesOf(url)).join()))
    expect(await weaknessesOf(url)).toEqual([])
  })
})
