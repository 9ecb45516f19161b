import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Database } from 'better-sqlite3'
import { createSqliteDatabase } from '../../../src/storage/sqlite/database.ts'
import { sqliteDialect } from '../../../src/storage/sqlite/dialect.ts'
import { type EntryQuery, entryQuery } from '../../../src/storage/stores/entries.ts'
import { readMigrations } from '../../../src/storage/migrations.ts'
import { openDatabase } from '../../../src/storage/sqlite/open.ts'
import type { EntryId, RoomName } from '../../../src/words/entry.ts'
import { paths } from '../../../src/base/paths.ts'
import { openFile } from '../../../src/storage/sqlite/driver.ts'
import { createStores } from '../../../src/storage/sqlite/stores.ts'
import { TABLES_OF_ROOMS } from '../../../src/storage/stores/room-names.ts'
import { emptyDatabase, sqliteOptions, temporaryDir } from '../../support/storage.ts'
import { alice, key } from '../../contract/storage/cast.ts'

const dir = temporaryDir()
let db: Database

/** Two rooms of a hundred thousand entries each; one in a thousand is a `scope`, the rest messages. */
beforeAll(() => {
  const { file } = sqliteOptions(dir.path)
  db = openDatabase({ file, migrations: readMigrations(paths.migrations), busyMs: 10, now: () => 0 })
  db.exec(`
    WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 200000)
    INSERT INTO entries SELECT printf('%026d', i), iif(i % 2, 'lobby', 'den'), i,
      iif(i % 1000 = 1, 'scope', 'message'), 'alice', 'text', '{}' FROM n`)
})
afterAll(() => {
  db.close()
  dir[Symbol.dispose]()
})

const base = { room: 'lobby' as RoomName, limit: 50 }
const middle = {
  before: '00000000000000000000150001' as EntryId,
  after: '00000000000000000000050001' as EntryId,
}
const queries: readonly (readonly [string, EntryQuery, string])[] = [
  ['the newest', base, 'entries_by_room (room=?)'],
  ['the newest before one', { ...base, before: middle.before }, 'entries_by_room (room=? AND id<?)'],
  ['the newest after one', { ...base, after: middle.after }, 'entries_by_room (room=? AND id>?)'],
  ['the newest between two', { ...base, ...middle }, 'entries_by_room (room=? AND id>? AND id<?)'],
  ['the newest of a rare kind', { ...base, kinds: ['scope'] }, 'entries_by_kind (room=? AND kind=?)'],
  [
    'the newest of several kinds, some never used',
    { ...base, kinds: ['message', 'scope', 'reply', 'action'] },
    'entries_by_kind (room=? AND kind=?)',
  ],
  [
    'the newest that belong to no side turn',
    { ...base, kinds: ['message'], withoutThreads: true },
    'entries_by_kind (room=? AND kind=?)',
  ],
  [
    'the newest of a rare kind between two',
    { ...base, ...middle, kinds: ['scope'] },
    'entries_by_kind (room=? AND kind=? AND id>? AND id<?)',
  ],
]

test.each(queries)(
  'the query for %s uses one index, bounded by all its conditions',
  async (_what, query, terms) => {
    const { sql, parameters } = await compiled(query)
    const searches = planOf(sql, parameters).filter((step) => /entries|B-TREE|SCAN/.test(step))
    expect(new Set(searches)).toEqual(new Set([`SEARCH entries USING INDEX ${terms}`]))
    expect(searches).toHaveLength(query.kinds?.length ?? 1)
    expect(db.prepare(sql).all(parameters)).toHaveLength(50)
  },
)

test('token counts of entries are looked up by primary key', async () => {
  const { sql, parameters } = await compiled({ ...base, encoding: 'o200k_base' })
  expect(planOf(sql, parameters)).toContain('SEARCH token_counts USING PRIMARY KEY (entry=? AND encoding=?)')
})

test('the newest entry id is read from the end of an index', () => {
  expect(planOf('SELECT max(id) AS id FROM entries', {})).toEqual([
    'SEARCH entries USING COVERING INDEX sqlite_autoindex_entries_1',
  ])
})

test.each([
  ['a payer', 'tokens', 'spendings', 'payer'],
  ['a room', 'input + output', 'charges', 'room'],
])('the tokens that %s used are summed from one covering index', (_who, tokens, table, column) => {
  const sum = `SELECT sum(${tokens}) AS tokens FROM ${table} WHERE ${column} = @who AND at > @after`
  expect(planOf(sum, { who: 'alice', after: 0 })).toEqual([
    `SEARCH ${table} USING COVERING INDEX ${table}_by_${column} (${column}=? AND at>?)`,
  ])
})

const compiled = (query: EntryQuery) =>
  createSqliteDatabase(db).read(async (kysely) => entryQuery(sqliteDialect, query).compile(kysely))

function planOf(sql: string, values: object): readonly string[] {
  const steps = db.prepare<[object], { detail: string }>(`EXPLAIN QUERY PLAN ${sql}`).all(values)
  return steps.map((step) => step.detail)
}

test('a login sends the same single query to SQLite for a known, unknown or foreign key', async () => {
  const statements: string[] = []
  const verbose = (statement: unknown): void => void statements.push(String(statement))
  const database = createSqliteDatabase(openFile(emptyDatabase(), { verbose }))
  const { people } = createStores(database).chat
  await people.register(alice, 'alice', key(1), 5)
  const shapes: string[] = []
  for (const [name, n] of [
    ['alice', 1],
    ['alice', 2],
    ['nobody', 1],
    ['nobody', 2],
  ] as const) {
    statements.length = 0
    await people.forLogin(name, key(n), 9)
    expect(statements).toHaveLength(1)
    shapes.push(
      statements
        .join()
        .replaceAll(`'${name}'`, '@name')
        .replaceAll(`'${key(n)}'`, '@key'),
    )
  }
  expect(new Set(shapes).size).toBe(1)
  await database.close()
})

test('the list of tables to update on a room rename has every table with a column room', () => {
  using file = openFile(emptyDatabase())
  const tables = file
    .prepare(
      `SELECT tables.name FROM sqlite_master AS tables, pragma_table_info(tables.name) AS columns
       WHERE tables.type = 'table' AND columns.name = 'room' ORDER BY tables.name`,
    )
    .pluck()
    .all()
  expect([...TABLES_OF_ROOMS].toSorted()).toEqual(tables)
})
