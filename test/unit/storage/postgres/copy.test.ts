import { join } from 'node:path'
import type { Database } from 'better-sqlite3'
import { sql } from 'kysely'
import { describe, expect, test } from 'vitest'
import { auditDatabase, openStorage } from '../../../../src/storage/open.ts'
import { copyDatabase, tablesOf } from '../../../../src/storage/copy.ts'
import { createPostgresDatabase } from '../../../../src/storage/postgres/database.ts'
import { readMigrations } from '../../../../src/storage/migrations.ts'
import { openFile } from '../../../../src/storage/sqlite/driver.ts'
import { openDatabase } from '../../../../src/storage/sqlite/open.ts'
import { paths } from '../../../../src/base/paths.ts'
import type { PersonId } from '../../../../src/words/person.ts'
import { createDeferred } from '../../../../src/base/jobs/waiting.ts'
import { den, lobby } from '../../../contract/storage/cast.ts'
import { lacks } from '../../../support/needs.ts'
import { createDatabase, createMigrated, postgresOptions } from '../../../support/postgres/databases.ts'
import { fillEveryTable } from '../../../support/postgres/every-table.ts'
import { message, sqliteOptions, temporaryDir } from '../../../support/storage.ts'

const closing = (db: Database): Database & Disposable =>
  Object.assign(db, { [Symbol.dispose]: () => void db.close() })

const copy = (from: string, to: string) =>
  copyDatabase({ from, to, migrationsDir: paths.migrations, now: () => 0 })

function filledFile(dir: string, entries = 100): string {
  const { file } = sqliteOptions(dir)
  const migrations = readMigrations(paths.migrations)
  using db = closing(openDatabase({ file, migrations, busyMs: 10, now: () => 0 }))
  fillEveryTable(db, entries)
  expect(rowsIn(db).filter(([, rows]) => rows.length === 0)).toEqual([])
  return file
}

/** All rows of all tables, each table in one order. */
const rowsIn = (db: Database): readonly (readonly [string, readonly unknown[]])[] =>
  tablesOf(db).map(({ name }) => [
    name,
    db
      .prepare(`SELECT * FROM "${name}"`)
      .all()
      .map((row) => JSON.stringify(row))
      .toSorted(),
  ])

function contentsOf(file: string) {
  using db = closing(openFile(file))
  return { rows: rowsIn(db), numbers: db.prepare('SELECT * FROM sqlite_sequence ORDER BY name').all() }
}

describe.skipIf(lacks('postgres'))('copying', () => {
  test('sshawl copy moves every row of every table to PostgreSQL and back', async () => {
    using dir = temporaryDir()
    await using database = await createDatabase()
    const file = filledFile(dir.path, 2000)
    const before = contentsOf(file)
    const copied = await copy(file, database.url)
    expect(Object.fromEntries(copied)).toEqual(
      Object.fromEntries(before.rows.map(([name, rows]) => [name, rows.length])),
    )
    const back = join(dir.path, 'back.db')
    expect(Object.fromEntries(await copy(database.url, back))).toEqual(Object.fromEntries(copied))
    expect(contentsOf(back)).toEqual(before)
    const now = 10
    expect(await auditDatabase(database.url, paths.migrations, now)).toEqual(
      await auditDatabase(file, paths.migrations, now),
    )
  })

  test('a copied database has its routines paused, since the original may still run them', async () => {
    using dir = temporaryDir()
    await using database = await createDatabase()
    const file = filledFile(dir.path)
    {
      using db = closing(openFile(file))
      db.exec("UPDATE routines SET state = 'active', reason = '', next_at = 9")
    }
    await copy(file, database.url)
    await using copied = await openStorage(postgresOptions(database))
    const paused = { state: 'paused', reason: 'the database was copied or restored', nextAt: null }
    expect(await copied.models.routines.list({})).toMatchObject([paused, paused])
  })

  test('a copied database gives the same results as its source and continues the numbering', async () => {
    using dir = temporaryDir()
    await using database = await createDatabase()
    const file = filledFile(dir.path)
    await using before = await openStorage({ ...sqliteOptions(''), file })
    await before[Symbol.asyncDispose]()
    await copy(file, database.url)
    await using sqlite = await openStorage({ ...sqliteOptions(''), file })
    await using postgres = await openStorage(postgresOptions(database))
    const stores = [sqlite, postgres]
    for (const room of [lobby, den]) {
      for (const query of [{ limit: 1e6 }, { limit: 100, revised: true, withoutThreads: true }]) {
        const [one, other] = await Promise.all(stores.map(({ chat }) => chat.entries.read(room, query)))
        expect(other).toEqual(one)
      }
      const [one, other] = await Promise.all(stores.map(({ chat }) => chat.entries.stats(room)))
      expect(other).toEqual(one)
    }
    const terms = [{ text: 'grusse 漢', whole: false }]
    const [one, other] = await Promise.all(
      stores.map(({ chat }) => chat.entries.search({ rooms: [lobby], terms, limit: 9 })),
    )
    expect(other).toEqual(one)
    expect(one?.entries).not.toEqual([])
    // What is numbered goes on.
    const invite = { by: 'p1' as PersonId, room: null, uses: 1, until: 99, at: 5, digest: 'new' }
    expect(await Promise.all(stores.map(({ chat }) => chat.invites.add(invite, 9)))).toEqual([10, 10])
    await postgres.chat.entries.append(message('01J00000000000000000000000', 'lobby', 'on'))
  })

  test('a copy requires an empty target, a source without a server and two different engines', async () => {
    using dir = temporaryDir()
    await using database = await createDatabase()
    const file = filledFile(dir.path)
    await copy(file, database.url)
    const rows = await database.send('SELECT count(*) FROM entries')
    await expect(copy(file, database.url)).rejects.toThrow('the database in --to is not empty: it has people')
    await expect(copy(database.url, file)).rejects.toThrow('the database in --to is not empty')
    expect(await database.send('SELECT count(*) FROM entries')).toEqual(rows)
    await expect(copy(file, `${file}.2`)).rejects.toThrow('use sshawl backup')
    await expect(copy(database.url, database.url)).rejects.toThrow('use pg_dump')
    await expect(copy(`${file}.none`, database.url)).rejects.toThrow('there is no database')
    await using other = await createDatabase()
    await using _server = await openStorage({ ...sqliteOptions(''), file })
    await expect(copy(file, other.url)).rejects.toThrow('another sshawl is using')
  })

  test('a copy that fails in the middle leaves no rows and can be repeated', async () => {
    using dir = temporaryDir()
    await using database = await createDatabase()
    const file = filledFile(dir.path)
    await (await openStorage(postgresOptions(database)))[Symbol.asyncDispose]()
    await database.send('ALTER TABLE typed_lines ADD CONSTRAINT none CHECK (id < 0)')
    await expect(copy(file, database.url)).rejects.toThrow('the database refused')
    expect(await database.send('SELECT 1 FROM entries')).toEqual([])
    await database.send('ALTER TABLE typed_lines DROP CONSTRAINT none')
    await copy(file, database.url)
  })
})

describe.skipIf(lacks('postgres'))('a copy into a database with which a server starts meanwhile', () => {
  test('a copy is refused if another server writes to the target, and copies nothing', async () => {
    using dir = temporaryDir()
    await using database = await createMigrated()
    await database.send('DELETE FROM name_rules')
    await using other = createPostgresDatabase(database.url)
    const locked = createDeferred<void>()
    const server = other.transaction(async (db) => {
      await sql`LOCK TABLE name_rules IN SHARE MODE`.execute(db)
      locked.resolve()
      const waiting = sql`SELECT FROM pg_locks WHERE NOT granted AND relation = 'name_rules'::regclass`
      while ((await waiting.execute(db)).rows.length === 0);
      await sql`INSERT INTO name_rules VALUES ('theirs')`.execute(db)
    })
    await locked.promise
    await expect(copy(filledFile(dir.path), database.url)).rejects.toThrow(
      /^somebody else wrote name_rules .* nothing was copied: stop it/,
    )
    await server
    expect(await database.send('SELECT rules FROM name_rules')).toEqual([{ rules: 'theirs' }])
  })
})
