import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { Database as File } from 'better-sqlite3'
import { type Kysely, sql } from 'kysely'
import { StorageError } from '../words/errors.ts'
import { otherSchema, readMigrations } from './migrations.ts'
import { isUrl } from './open.ts'
import { ownColumns } from './postgres/append.ts'
import { createPostgresDatabase } from './postgres/database.ts'
import { migrate, requireSchema } from './postgres/open.ts'
import { toStorageError } from './sqlite/errors.ts'
import { lockDirectory, lockFile, openReader, versionOf } from './sqlite/file.ts'
import { openDatabase } from './sqlite/open.ts'
import { type EntryRow, toEntry } from './stores/entries.ts'
import { PAUSE_ROUTINES } from './stores/routines.ts'
import type { Tables } from './tables.ts'

/** One place is a file of SQLite, the other the URL of a PostgreSQL database. */
export interface CopyOptions {
  readonly from: string
  readonly to: string
  /** The migrations of SQLite; those of PostgreSQL are in its subdirectory `postgres`. */
  readonly migrationsDir: string
  /** Milliseconds since the epoch. */
  readonly now: () => number
}

/** The number of rows of each table. */
export type CopiedRows = ReadonlyMap<string, number>

/** No server may use the file. Pauses copied routines. Rejects with `StorageError` if nothing was copied. */
export async function copyDatabase(options: CopyOptions): Promise<CopiedRows> {
  try {
    return isUrl(options.to) ? await toPostgres(options) : await toFile(options)
  } catch (error) {
    throw toStorageError(error)
  }
}

async function toPostgres({ from, to, migrationsDir, now }: CopyOptions): Promise<CopiedRows> {
  if (isUrl(from)) throw sameEngine('pg_dump and pg_restore')
  if (!existsSync(from))
    throw new StorageError('other', `${from}: there is no database; name its file with --from`)
  using _ = lockDirectory(from)
  using file = openReader(from, { readonly: false })
  if (versionOf(file) !== readMigrations(migrationsDir).length) throw otherSchema()
  await using database = createPostgresDatabase(to)
  const schema = readMigrations(join(migrationsDir, 'postgres'))
  await migrate(database, schema, now)
  return await database.transaction(async (db) => {
    await removeTimeouts(db)
    await requireSchema(db, schema)
    const copied = await copyTables(sqliteSide(file), postgresSide(db), tablesOf(file))
    await sql.raw(PAUSE_ROUTINES).execute(db)
    return copied
  })
}

async function toFile({ from, to, migrationsDir, now }: CopyOptions): Promise<CopiedRows> {
  if (!isUrl(from)) throw sameEngine('sshawl backup')
  await using database = createPostgresDatabase(from)
  const schema = readMigrations(join(migrationsDir, 'postgres'))
  await database.transaction((db) => requireSchema(db, schema))
  using _ = lockFile(to)
  using file = openDatabase({ file: to, migrations: readMigrations(migrationsDir), busyMs: 2000, now })
  file.pragma('foreign_keys = OFF')
  file.exec('BEGIN IMMEDIATE')
  try {
    const copied = await database.transaction(async (db) => {
      await sql`SET TRANSACTION ISOLATION LEVEL REPEATABLE READ READ ONLY`.execute(db)
      await removeTimeouts(db)
      return await copyTables(postgresSide(db), sqliteSide(file), tablesOf(file))
    })
    file.exec(PAUSE_ROUTINES)
    file.exec('COMMIT')
    return copied
  } catch (error) {
    file.exec('ROLLBACK')
    throw error
  }
}

/** Removes timeouts, which are for servers, where people wait for statements. */
const removeTimeouts = (db: Kysely<Tables>) =>
  sql`SET LOCAL statement_timeout = 0; SET LOCAL idle_in_transaction_session_timeout = 0`.execute(db)

const sameEngine = (tool: string): StorageError =>
  new StorageError(
    'other',
    'copy moves between a file and PostgreSQL; name one of each in --from and --to ' +
      `(between two of a kind, use ${tool})`,
  )

/** A table of SQLite. PostgreSQL's table has the same columns; its `entries` has more. */
interface Table {
  readonly name: string
  readonly columns: readonly string[]
}

type Row = Readonly<Record<string, unknown>>

/** A database within a transaction, to copy from or to. */
interface Side {
  /** All rows, in pieces that fit into memory. */
  rows(table: Table): AsyncIterable<readonly Row[]>
  insert(table: Table, rows: readonly Row[]): Promise<void>
  count(table: Table): Promise<number>
  /** The largest id that was ever assigned, even if its row is deleted; undefined if none are assigned. */
  lastNumber(table: Table): Promise<number | undefined>
  /** Makes the next id larger than `last`. Does nothing if the table assigns no ids. */
  setLastNumber(table: Table, last: number): Promise<void>
}

/** Tables that others refer to come first. */
const PARENTS: readonly string[] = ['people', 'rooms', 'entries', 'turns', 'tokens']

export const tablesOf = (file: File): readonly Table[] =>
  file
    .prepare<[string], { name: string; columns: string }>(
      `SELECT name, (SELECT json_group_array(name) FROM pragma_table_info(tables.name)) AS columns
       FROM sqlite_schema AS tables LEFT JOIN json_each(?) AS parents ON parents.value = tables.name
       WHERE tables.type = 'table' AND name <> 'migrations' AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\'
       ORDER BY parents.key IS NULL, parents.key, name`,
    )
    .all(JSON.stringify(PARENTS))
    .map(({ name, columns }) => ({ name, columns: JSON.parse(columns) as readonly string[] }))

/** Rejects with `StorageError` if the target has rows before the copy, or lacks rows after it. */
async function copyTables(from: Side, to: Side, tables: readonly Table[]): Promise<CopiedRows> {
  for (const table of tables)
    if ((await to.count(table)) > 0)
      throw new StorageError(
        'other',
        `the database in --to is not empty: it has ${table.name}; ` +
          'copy into one that no server was started with',
      )
  const copied = new Map<string, number>()
  for (const table of tables) copied.set(table.name, await copyTable(from, to, table))
  return copied
}

async function copyTable(from: Side, to: Side, table: Table): Promise<number> {
  let read = 0
  for await (const rows of from.rows(table)) {
    await to.insert(table, rows)
    read += rows.length
  }
  const last = await from.lastNumber(table)
  if (last !== undefined) await to.setLastNumber(table, last)
  const written = await to.count(table)
  if (written > read)
    throw new StorageError(
      'other',
      `somebody else wrote ${table.name} to the database in --to meanwhile, as a server does that starts; ` +
        'nothing was copied: stop it, and copy into a database that no server was started with',
    )
  if (written < read)
    throw new StorageError('other', `${written} of ${read} rows of ${table.name} arrived; nothing was copied`)
  return written
}

/** Characters of a piece from SQLite; a longer row is a piece of its own. */
const PIECE_CHARS = 1_000_000

function sqliteSide(file: File): Side {
  return {
    async *rows({ name, columns }) {
      let piece: Row[] = []
      let chars = 0
      for (const row of file.prepare<[], Row>(`SELECT ${quoted(columns)} FROM "${name}"`).iterate()) {
        piece.push(row)
        for (const value of Object.values(row))
          chars += typeof value === 'string' || Buffer.isBuffer(value) ? value.length : 8
        if (chars < PIECE_CHARS) continue
        yield piece
        piece = []
        chars = 0
      }
      if (piece.length > 0) yield piece
    },
    async insert({ name, columns }, rows) {
      // REPLACE: a trigger filled `tool_calls` while `entries` was copied.
      const insert = file.prepare<Row>(
        `INSERT OR REPLACE INTO "${name}" (${quoted(columns)}) VALUES (${columns.map((column) => `@${column}`).join(', ')})`,
      )
      for (const row of rows) insert.run(row)
    },
    async count({ name }) {
      return file.prepare<[], { rows: number }>(`SELECT count(*) AS rows FROM "${name}"`).get()?.rows ?? 0
    },
    async lastNumber({ name, columns }) {
      if (!columns.includes('id')) return undefined
      const given = 'SELECT seq FROM sqlite_sequence WHERE name = ?'
      const last = file.prepare<[string], { id: unknown }>(
        `SELECT coalesce((${given}), (SELECT max(id) FROM "${name}")) AS id`,
      )
      const { id } = last.get(name) ?? {}
      return typeof id === 'number' ? id : undefined
    },
    async setLastNumber({ name }, last) {
      // Without AUTOINCREMENT SQLite assigns the largest id plus one by itself.
      const counts = "SELECT 1 FROM sqlite_schema WHERE name = ? AND sql LIKE '%AUTOINCREMENT%'"
      if (!file.prepare(counts).get(name)) return
      file.prepare('DELETE FROM sqlite_sequence WHERE name = ?').run(name)
      file.prepare('INSERT INTO sqlite_sequence (name, seq) VALUES (?, ?)').run(name, last)
    },
  }
}

/** Rows in a piece from PostgreSQL. A prompt may have a hundred thousand characters. */
const PIECE_ROWS = 100

function postgresSide(db: Kysely<Tables>): Side {
  return {
    async *rows({ name, columns }) {
      await sql`DECLARE copied CURSOR FOR SELECT ${sql.raw(quoted(columns))} FROM ${sql.table(name)} ORDER BY 1`.execute(
        db,
      )
      for (;;) {
        const { rows } = await sql<Row>`FETCH ${sql.raw(`${PIECE_ROWS}`)} FROM copied`.execute(db)
        if (rows.length > 0) yield rows
        if (rows.length < PIECE_ROWS) break
      }
      await sql`CLOSE copied`.execute(db)
    },
    async insert({ name }, rows) {
      const whole = name === 'entries' ? rows.map(withOwnColumns) : rows
      const columns = Object.keys(whole[0] ?? {})
      const types = await typesOf(db, name)
      const lists = columns.map(
        (column) => sql`${whole.map((row) => row[column])}::${sql.raw(types.get(column) ?? 'text')}[]`,
      )
      await sql`INSERT INTO ${sql.table(name)} (${sql.raw(quoted(columns))})
        SELECT * FROM unnest(${sql.join(lists)})`.execute(db)
    },
    async count({ name }) {
      const { rows } = await sql<{ rows: number }>`SELECT count(*) AS rows FROM ${sql.table(name)}`.execute(
        db,
      )
      return rows[0]?.rows ?? 0
    },
    async lastNumber({ name }) {
      const { rows } = await sql<{ last: number | null }>`
        SELECT last_value AS last FROM pg_sequences
        WHERE schemaname = current_schema() AND sequencename = ${`${name}_id_seq`}`.execute(db)
      return rows[0]?.last ?? undefined
    },
    async setLastNumber({ name }, last) {
      await sql`SELECT setval(pg_get_serial_sequence(${name}, 'id'), ${last})`.execute(db)
    },
  }
}

/** Adds PostgreSQL's own columns. Keeps the JSON byte for byte. */
function withOwnColumns(row: Row): Row {
  const entry = row as unknown as EntryRow
  return { ...entry, ...ownColumns(toEntry(entry)) }
}

async function typesOf(db: Kysely<Tables>, table: string): Promise<ReadonlyMap<string, string>> {
  const { rows } = await sql<{ name: string; type: string }>`
    SELECT column_name::text AS name, data_type::text AS type FROM information_schema.columns
    WHERE table_schema = current_schema() AND table_name = ${table}`.execute(db)
  return new Map(rows.map(({ name, type }) => [name, type]))
}

const quoted = (columns: readonly string[]): string => columns.map((column) => `"${column}"`).join(', ')
