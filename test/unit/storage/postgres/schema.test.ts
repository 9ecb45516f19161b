import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { openStorage } from '../../../../src/storage/open.ts'
import { readMigrations } from '../../../../src/storage/migrations.ts'
import { createPostgresDatabase } from '../../../../src/storage/postgres/database.ts'
import { migrate } from '../../../../src/storage/postgres/open.ts'
import { openDatabase } from '../../../../src/storage/sqlite/open.ts'
import { paths } from '../../../../src/base/paths.ts'
import { lacks } from '../../../support/needs.ts'
import { createDatabase, postgresOptions, type TestDatabase } from '../../../support/postgres/databases.ts'

/** Of each released migration. A line is added with a new file and never changed. */
const released: Readonly<Record<string, string>> = {
  '001-first-light.sql': 'd7df39d716551d2b9b36ef7c5e28522b70fc225d17ffdb478437b4a3bf8f5ea5',
  '002-servers.sql': '1cff2b68dd9b14a7cfe564751b7a0d333de46c0f0cc4adf2486dd4063228be1d',
  '003-news-of-people.sql': '6d6cb8db169135e1ee66002ee5dfcab61bd541e41de8ae9a6b12ef6e93373174',
  '004-shared-work.sql': 'c8abe3baf2c5d0c7ab1c5039a7ae23ba510fa95edc8b95631af45720ccbfcf24',
  '005-secrets.sql': '3c36554dd239afc112158f9c71b698fca882d19adaa6330a0c209db72ac65deb',
  '006-results-from-outside.sql': 'c6c108764b840fee2d377a0aad8387b31a8e09a5ed48f5115c55ce6a2203feaa',
  '007-changes.sql': '1d72bbe70add3cfeac6c8bd7953ddbfc2a634e5c07d37526bea1415f464835b2',
  '008-rooms-of-people.sql': '161a1721af1d2efccc4fd3664736853acb3a0f4ca279b015986d6a03288b49c8',
  '009-removals.sql': 'c9f7e2e7c6ae4bd28f04427049caef118377f32d8bf66b8821fc83e9c7f11e77',
  '010-instructions.sql': '3d430abcd7a0cbda835a45474f40331785d0ac4371782e34d941161fc10a0c37',
  '011-request-parts.sql': '09bd0ce23caad470d54417bd0d8510ccafa9323c14ab5c1fc02447fa0ec4131a',
  '012-routines.sql': 'c0d79a056f9e5e9a3fea86a2feb99b79f68bc90ca06b1f16eb382105ce7e926b',
  '013-grants-of-routines.sql': 'b7f53c3ea0143a41e6c4097ee3df3888539279ce18ce88406f1608ee2b812754',
  '014-personas.sql': 'c809a9d7bae2276464dba3b5f76a60470aae72bb4b6ecbf450229950d297cf85',
  '015-who-set-scripts.sql': '082ca109770cbd96bc8adea46d706ff256ee3bc86de96d78e4783002b2186201',
  '016-talks.sql': '57a82bb125024c80f8e71c7179c24544aea9dc5efee04cf04a07927a61364864',
  '017-memories.sql': 'f51a8ea1b6bf7432ecdcecfa0da586a12f2355b12106ceb4da68fab4a57b19d5',
}

/** What servers know of each other: SQLite's is alone. */
const OF_SERVERS = /^(servers|present|broadcasts|work|questions|question_numbers|secrets)[.(]/

/**
 * Columns of PostgreSQL alone: what SQLite reads out of `data`, what it keeps in the search index beside the database, and which
 * server it is; and which schema a program must know.
 */
const ONLY_IN_POSTGRES = [
  'entries.edits text',
  'entries.not_run number required',
  'entries.reacts text',
  'entries.thread text',
  'entries.words tsvector required',
  'migrations.needs number',
  'rooms.closing_by text',
  'rooms.closing_server text',
  'turns.server text',
]

/** What the types of both engines are for. */
const KINDS: Readonly<Record<string, string>> = {
  INTEGER: 'number',
  bigint: 'number',
  REAL: 'real',
  'double precision': 'real',
  TEXT: 'text',
  BLOB: 'bytes',
  bytea: 'bytes',
}

const described = (table: unknown, column: unknown, type: unknown, isRequired: boolean): string =>
  `${String(table)}.${String(column)} ${KINDS[String(type)] ?? String(type)}${isRequired ? ' required' : ''}`

function columnsOfSqlite(): readonly string[] {
  const migrations = readMigrations(paths.migrations)
  const db = openDatabase({ file: ':memory:', migrations, busyMs: 0, now: () => 0 })
  const rows = db
    .prepare<[], { table: string; name: string; type: string; notnull: number; pk: number }>(
      `SELECT tables.name AS "table", columns.* FROM sqlite_schema AS tables, pragma_table_info(tables.name) AS columns
       WHERE tables.type = 'table' AND tables.name NOT LIKE 'sqlite%'`,
    )
    .all()
  db.close()
  return rows.map(({ table, name, type, notnull, pk }) =>
    described(table, name, type, notnull === 1 || pk > 0),
  )
}

async function columnsOfPostgres(database: TestDatabase): Promise<readonly string[]> {
  const rows = await database.send(
    `SELECT table_name, column_name, data_type, is_nullable FROM information_schema.columns WHERE table_schema = 'public'`,
  )
  return rows
    .map((row) =>
      described(row['table_name'], row['column_name'], row['data_type'], row['is_nullable'] === 'NO'),
    )
    .filter((column) => !OF_SERVERS.test(column))
}

/** `person_keys(person,fingerprint)` of each primary key and unique index, where it is not of an expression. */
async function keysOf(database: TestDatabase): Promise<readonly string[]> {
  const rows = await database.send(`
    SELECT indrelid::regclass::text || '(' || string_agg(attname::text, ',' ORDER BY place) || ')' AS key
    FROM pg_index CROSS JOIN LATERAL unnest(indkey) WITH ORDINALITY AS part (number, place)
    JOIN pg_attribute ON attrelid = indrelid AND attnum = number
    WHERE indisunique AND NOT 0 = ANY(indkey) AND indrelid::regclass::text NOT LIKE 'pg_%' GROUP BY indexrelid, indrelid`)
  return rows
    .map(({ key }) => String(key))
    .filter((key) => !OF_SERVERS.test(key))
    .toSorted()
}

function keysOfSqlite(): readonly string[] {
  const migrations = readMigrations(paths.migrations)
  const db = openDatabase({ file: ':memory:', migrations, busyMs: 0, now: () => 0 })
  const rows = db
    .prepare<[], { key: string }>(
      `SELECT tables.name || '(' || group_concat(columns.name) || ')' AS key
       FROM sqlite_schema AS tables, pragma_index_list(tables.name) AS indexes, pragma_index_info(indexes.name) AS columns
       WHERE tables.type = 'table' AND indexes."unique" = 1 GROUP BY tables.name, indexes.name
       UNION ALL SELECT tables.name || '(' || columns.name || ')'
       FROM sqlite_schema AS tables, pragma_table_info(tables.name) AS columns
       WHERE tables.type = 'table' AND columns.type = 'INTEGER' AND columns.pk = 1
         AND NOT EXISTS (SELECT 1 FROM pragma_index_list(tables.name) WHERE origin = 'pk')`,
    )
    .all()
  db.close()
  return rows.map(({ key }) => key).toSorted()
}

test('released PostgreSQL migrations match their recorded hashes', () => {
  const dir = join(paths.migrations, 'postgres')
  const present = readMigrations(dir).map(({ name }) => [
    name,
    createHash('sha256')
      .update(readFileSync(join(dir, name)))
      .digest('hex'),
  ])
  expect(Object.fromEntries(present)).toEqual(released)
})

test.skipIf(lacks('postgres'))('SQLite and PostgreSQL have the same tables, columns and keys', async () => {
  await using database = await createDatabase()
  await (await openStorage(postgresOptions(database)))[Symbol.asyncDispose]()
  const sqlite = columnsOfSqlite()
  const postgres = await columnsOfPostgres(database)
  expect(postgres.filter((column) => !ONLY_IN_POSTGRES.includes(column)).toSorted()).toEqual(
    sqlite.toSorted(),
  )
  expect(postgres).toEqual(expect.arrayContaining(ONLY_IN_POSTGRES))
  // A target is too long for an index, so that PostgreSQL has its digest there.
  expect(await keysOf(database)).toEqual(
    keysOfSqlite().filter((key) => key !== 'grants(person,room,tool,target)'),
  )
})

test.skipIf(lacks('postgres'))(
  'a PostgreSQL database of schema 006 with rows of servers is migrated to the newest schema',
  async () => {
    await using database = await createDatabase()
    await using opened = createPostgresDatabase(database.url)
    const migrations = readMigrations(join(paths.migrations, 'postgres'))
    await migrate(opened, migrations.slice(0, 6), () => 0)
    await database.send(`
    INSERT INTO servers (id, name, version, facts, seen_at) VALUES ('s', 'h:1', '1', '{}', now());
    INSERT INTO rooms (name, topic, vibe, private, created_at) VALUES ('den', '', '', 0, 0);
    INSERT INTO present (room, person, server, name, facts) VALUES ('den', 'p', 's', 'p', '{}');
    INSERT INTO orders (server, kind, data) VALUES ('s', 'stop', '{}');
    INSERT INTO payers (payer, server, connections, until) VALUES ('p', 's', 1, now());
    INSERT INTO lent_names (skeleton, server, name, fingerprint, asked) VALUES ('p', 's', 'p', 'k', 'p');
    INSERT INTO closings (room, server, "by") VALUES ('den', 's', 'ann');
    INSERT INTO closings_done (room, server) VALUES ('den', 's');
    INSERT INTO secrets (name, value) VALUES ('bus', 'b'), ('claim', 'c')`)
    await migrate(opened, migrations, () => 0)
    expect(await database.send('SELECT name FROM secrets')).toEqual([{ name: 'claim' }])
    // Triggers of the tables that stay work.
    await database.send("DELETE FROM servers WHERE id = 's'")
    expect(await database.send('SELECT * FROM present')).toEqual([])
  },
)
