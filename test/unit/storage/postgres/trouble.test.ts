import { chmodSync, cpSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Client } from 'pg'
import { sql } from 'kysely'
import { describe, expect, test } from 'vitest'
import {
  auditDatabase,
  backupDatabase,
  checkDatabase,
  openStorage,
  restoreDatabase,
} from '../../../../src/storage/open.ts'
import { createPostgresDatabase } from '../../../../src/storage/postgres/database.ts'
import { roomLog } from '../../../../src/storage/locks.ts'
import { lockNumber } from '../../../../src/storage/postgres/locks.ts'
import { readMigrations } from '../../../../src/storage/migrations.ts'
import { paths } from '../../../../src/base/paths.ts'
import { StorageError } from '../../../../src/words/errors.ts'
import type { Log } from '../../../../src/base/environment.ts'
import { idOf, lobby } from '../../../contract/storage/cast.ts'
import { lacks } from '../../../support/needs.ts'
import { createDatabase, createMigrated, postgresOptions } from '../../../support/postgres/databases.ts'
import { freePort, startAgain, startServer, stopServer } from '../../../support/postgres/server.ts'
import { message, temporaryDir } from '../../../support/storage.ts'

/** A log that keeps all facts, as the server's would print them. */
function factsLog(): Log & { readonly lines: unknown[] } {
  const lines: unknown[] = []
  const keep = (facts: object, text: string): void => void lines.push([facts, text])
  return { lines, debug: keep, info: keep, warn: keep, error: keep }
}

async function failureOf(url: string, more: object = {}): Promise<StorageError> {
  const failure: unknown = await openStorage({ ...postgresOptions({ url }), ...more }).catch((error) => error)
  if (failure instanceof StorageError) return failure
  throw new Error('it opened', { cause: failure })
}

/** The same database for another user, or in another form. */
function changed(
  url: string,
  change: Partial<Pick<URL, 'username' | 'password' | 'pathname' | 'port'>>,
): string {
  return Object.assign(new URL(url), change).toString()
}

const OTHERS =
  'SELECT pid FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()'
const END_OTHERS = `SELECT pg_terminate_backend(pid) FROM (${OTHERS}) AS others`

describe.skipIf(lacks('postgres'))('a PostgreSQL database that cannot be used', () => {
  test('an unusable PostgreSQL database is refused with a message that says what to do', async () => {
    await using database = await createDatabase()
    const { url } = database
    const closed = String(await freePort())
    const says = async (one: string): Promise<string> => (await failureOf(one)).forOperators
    expect(await says(changed(url, { port: closed }))).toContain('cannot be reached; start it')
    expect(await says('postgres://u@no-such-host.invalid/x')).toMatch(
      /no such database server|cannot be reached/,
    )
    expect(await says(changed(url, { pathname: '/none' }))).toContain('make it with createdb')
    expect(await says(changed(url, { username: 'nobody' }))).toContain('refused the user or the password')
    const role = database.role('shut')
    await database.send(`CREATE ROLE ${role} LOGIN CONNECTION LIMIT 0`)
    expect(await failureOf(changed(url, { username: role }))).toMatchObject({ reason: 'locked' })
    await database.send(`ALTER ROLE ${role} CONNECTION LIMIT -1`)
    await database.send('REVOKE CREATE ON SCHEMA public FROM PUBLIC')
    const poor = await failureOf(changed(url, { username: role }))
    expect(poor).toMatchObject({ reason: 'read-only' })
    expect(poor.forOperators).toBe(
      'the database refused: permission denied for schema public; sshawl needs a database of its own, which the role in [storage] url owns',
    )
    await database.send('CREATE TABLE people (id int)')
    expect(await says(url)).toBe(
      '001-first-light.sql: the database refused: relation "people" already exists',
    )
  })

  test('a PostgreSQL standby is refused at the start', async () => {
    using dir = temporaryDir()
    chmodSync(dir.path, 0o755)
    const server = join(dir.path, 'server')
    mkdirSync(server)
    const port = await freePort()
    const url = await startServer(server, port)
    await (await openStorage(postgresOptions({ url })))[Symbol.asyncDispose]()
    await stopServer(server)
    writeFileSync(join(server, 'data', 'standby.signal'), '')
    await startAgain(server, port)
    const sentence = 'the database is a standby, which only reads; name the primary server in [storage] url'
    expect(await failureOf(url)).toMatchObject({ reason: 'read-only', forOperators: sentence })
    await expect(checkDatabase(url, paths.migrations)).rejects.toThrow(sentence)
    await stopServer(server)
  })

  test('a PostgreSQL database that is read-only or not in UTF-8 is refused at the start', async () => {
    await using database = await createDatabase()
    const url = `${database.url}?options=-c%20default_transaction_read_only%3Don`
    expect((await failureOf(url)).forOperators).toContain('default_transaction_read_only is on; turn it off')
    const name = `${new URL(database.url).pathname.slice(1)}_ascii`
    await database.send(`CREATE DATABASE ${name} TEMPLATE template0 ENCODING 'SQL_ASCII' LOCALE 'C'`)
    const failure = await failureOf(changed(database.url, { pathname: `/${name}` }))
    await database.send(`DROP DATABASE ${name} WITH (FORCE)`)
    expect(failure.forOperators).toContain('not in UTF-8; make another with createdb --encoding=UTF8')
  })

  test('the PostgreSQL password appears in no error and no log line', async () => {
    await using database = await createDatabase()
    const port = String(await freePort())
    const urls = [
      changed(database.url, { password: 'tops3cret', port }),
      changed(database.url, { password: 'tops3cret', username: 'nobody' }),
    ]
    for (const url of urls) {
      const log = factsLog()
      const failure = await failureOf(url, { log })
      const { cause } = failure
      const shown = [
        failure.stack,
        JSON.stringify(failure),
        JSON.stringify(cause),
        String(cause),
        JSON.stringify(log.lines),
      ]
      expect(shown.join('\n')).not.toContain('tops3cret')
    }
    const log = factsLog()
    const url = changed(database.url, { password: 'tops3cret' })
    await (await openStorage({ ...postgresOptions({ url }), log }))[Symbol.asyncDispose]()
    expect(JSON.stringify(log.lines)).toContain('database opened')
    expect(JSON.stringify(log.lines)).not.toContain('tops3cret')
  })

  test('a newer, edited or failing PostgreSQL migration is refused, and a failing one is rolled back', async () => {
    using dir = temporaryDir()
    await using database = await createDatabase()
    const migrationsDir = join(dir.path, 'migrations')
    cpSync(paths.migrations, migrationsDir, { recursive: true })
    const known = readMigrations(join(paths.migrations, 'postgres')).length
    const [more, bad] = ['more', 'bad'].map(
      (name, at) => `${String(known + 1 + at).padStart(3, '0')}-${name}.sql`,
    ) as [string, string]
    const contraction = `-- Why it is so.\n-- Needs: ${known + 1}\nCREATE TABLE more (id bigint)`
    writeFileSync(join(migrationsDir, 'postgres', more), contraction)
    await (await openStorage({ ...postgresOptions(database), migrationsDir }))[Symbol.asyncDispose]()
    expect(await failureOf(database.url)).toMatchObject({ reason: 'newer' })
    await expect(auditDatabase(database.url, paths.migrations, 0)).rejects.toMatchObject({ reason: 'newer' })
    writeFileSync(join(migrationsDir, 'postgres', more), 'CREATE TABLE more (id text)')
    expect((await failureOf(database.url, { migrationsDir })).message).toContain(`${more}: edited`)
    writeFileSync(
      join(migrationsDir, 'postgres', bad),
      'CREATE TABLE half (id bigint); CREATE TABLE half (id bigint)',
    )
    writeFileSync(join(migrationsDir, 'postgres', more), contraction)
    expect((await failureOf(database.url, { migrationsDir })).message).toContain(`${bad}: `)
    expect(await database.send("SELECT to_regclass('half') AS half")).toEqual([{ half: null }])
  })

  test('a PostgreSQL schema that only adds a column is used by servers of both versions', async () => {
    using dir = temporaryDir()
    await using database = await createMigrated()
    await using before = await openStorage(postgresOptions(database))
    const migrationsDir = join(dir.path, 'migrations')
    cpSync(paths.migrations, migrationsDir, { recursive: true })
    const known = readMigrations(join(paths.migrations, 'postgres')).length
    const name = `${String(known + 1).padStart(3, '0')}-more.sql`
    writeFileSync(join(migrationsDir, 'postgres', name), 'ALTER TABLE entries ADD COLUMN more bigint')
    await using after = await openStorage({ ...postgresOptions(database), migrationsDir })
    await before.chat.entries.append(message(idOf(1), 'lobby', 'of the version before'))
    await after.chat.entries.append(message(idOf(2), 'lobby', 'of the next one'))
    await database.send("UPDATE entries SET kind = 'poll' WHERE text = 'of the next one'")
    await using again = await openStorage(postgresOptions(database))
    const log = await again.chat.entries.read(lobby, { limit: 9 })
    expect(log.map(({ kind, text }) => [kind, text])).toEqual([
      ['message', 'of the version before'],
      ['notice', 'of the next one'],
    ])
  })

  test('a PostgreSQL database that becomes read-only rejects writes and still serves reads', async () => {
    await using database = await createMigrated()
    await using storage = await openStorage(postgresOptions(database))
    await storage.chat.entries.append(message(idOf(1), 'lobby', 'before'))
    const name = new URL(database.url).pathname.slice(1)
    await database.send(`ALTER DATABASE ${name} SET default_transaction_read_only = on`)
    await database.send(END_OTHERS)
    const refused = storage.chat.entries.append(message(idOf(2), 'lobby', 'after'))
    await expect(refused).rejects.toMatchObject({ name: 'StorageError', reason: 'read-only' })
    await expect(storage.upkeep.health()).rejects.toMatchObject({ reason: 'read-only' })
    expect(await storage.chat.entries.read(lobby, { limit: 9 })).toHaveLength(1)
  })

  test.each([
    ['lock_timeout', 'another change has locked the same data; try again when it is done'],
    ['statement_timeout', 'the database server took too long; try again when it has less to do'],
  ])(
    'calls that a lock blocks for longer than %s are rejected, and later calls succeed',
    async (limit, told) => {
      await using database = await createMigrated()
      await using storage = await openStorage(postgresOptions({ url: `${database.url}?${limit}=200` }))
      const { entries } = storage.chat
      await entries.append(message(idOf(1), 'lobby', 'before'))
      const holder = new Client({ connectionString: database.url })
      await holder.connect()
      await holder.query('BEGIN; LOCK TABLE entries')
      const calls = [entries.append(message(idOf(2), 'lobby', 'x')), entries.read(lobby, { limit: 9 })]
      const reason = { name: 'StorageError', reason: 'locked', message: told }
      for (const outcome of await Promise.allSettled(calls))
        expect(outcome).toMatchObject({ status: 'rejected', reason })
      await holder.end()
      await entries.append(message(idOf(3), 'lobby', 'after'))
      expect((await entries.read(lobby, { limit: 9 })).map(({ text }) => text)).toEqual(['before', 'after'])
    },
  )

  test('a message is rejected while another program locks its room, and later ones are stored', async () => {
    await using database = await createMigrated()
    const url = `${database.url}?lock_timeout=200`
    await using storage = await openStorage(postgresOptions({ url }))
    const holder = new Client({ connectionString: database.url })
    await holder.connect()
    await holder.query('SELECT pg_advisory_lock($1, $2)', [0x73736877, lockNumber(roomLog('lobby'))])
    const refused = storage.chat.entries.append(message(idOf(1), 'lobby', 'x'))
    await expect(refused).rejects.toMatchObject({ reason: 'locked' })
    await holder.end()
    await storage.chat.entries.append(message(idOf(2), 'lobby', 'after'))
  })

  test('backup and restore name pg_dump and pg_restore for a PostgreSQL database', async () => {
    await using database = await createMigrated()
    const dump = 'pg_dump --format=custom'
    await expect(backupDatabase(database.url, '/nowhere')).rejects.toThrow(dump)
    const restore = { source: 'x', file: database.url, migrationsDir: '', now: new Date() }
    await expect(restoreDatabase(restore)).rejects.toThrow('pg_restore')
    await expect(checkDatabase(database.url, paths.migrations)).resolves.toBeUndefined()
  })

  test('a transaction whose connection ends between statements is rejected and rolled back', async () => {
    await using database = await createDatabase()
    await using opened = createPostgresDatabase(database.url)
    const cut = opened.transaction(async (db) => {
      await sql`CREATE TABLE half (id int)`.execute(db)
      await database.send(END_OTHERS)
      // By the end of another conversation with PostgreSQL the end of this one is here.
      while ((await database.send(OTHERS)).length > 0);
      await sql`INSERT INTO half VALUES (1)`.execute(db)
    })
    await expect(cut).rejects.toMatchObject({ name: 'StorageError' })
    expect(await database.send(`SELECT to_regclass('half') AS half`)).toEqual([{ half: null }])
  })
})
