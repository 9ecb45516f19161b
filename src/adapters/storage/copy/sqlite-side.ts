import type { Database } from 'better-sqlite3'
import type { CopiedRow, CopySource, CopiedTable, CopyTarget } from './copy.ts'

/** A piece has so many characters, or one row. */
const PIECE_CHARS = 1_000_000

/** The tables of a database of ours, but for the list of its migrations. */
export const tablesOf = (db: Database): readonly CopiedTable[] =>
  db
    .prepare<[], { name: string }>(
      `SELECT name FROM sqlite_schema
       WHERE type = 'table' AND name <> 'migrations' AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\' ORDER BY name`,
    )
    .all()
    .map(({ name }) => ({
      name,
      columns: db
        .prepare<[string], { name: string }>('SELECT name FROM pragma_table_info(?)')
        .all(name)
        .map((column) => column.name),
    }))

export const sqliteSource = (db: Database): CopySource => ({
  async *rows({ name, columns }) {
    let piece: CopiedRow[] = []
    let chars = 0
    for (const row of db.prepare<[], CopiedRow>(`SELECT ${quoted(columns)} FROM "${name}"`).iterate()) {
      piece.push(row)
      chars += charsOf(row)
      if (chars < PIECE_CHARS) continue
      yield piece
      piece = []
      chars = 0
    }
    if (piece.length > 0) yield piece
  },
  async lastNumber({ name, columns }) {
    if (isCounted(db, name))
      return db
        .prepare<[string], { last: number }>('SELECT seq AS last FROM sqlite_sequence WHERE name = ?')
        .get(name)?.last
    if (!columns.includes('id')) return undefined
    const last = db.prepare<[], { last: unknown }>(`SELECT max(id) AS last FROM "${name}"`).get()?.last
    return typeof last === 'number' ? last : undefined
  },
})

/** Within the transaction of the caller. */
export const sqliteTarget = (db: Database): CopyTarget => ({
  async count({ name }) {
    return db.prepare<[], { rows: number }>(`SELECT count(*) AS rows FROM "${name}"`).get()?.rows ?? 0
  },
  async insert({ name, columns }, rows) {
    const insert = db.prepare<CopiedRow>(
      `INSERT OR REPLACE INTO "${name}" (${quoted(columns)})
       VALUES (${columns.map((column) => `@${column}`).join(', ')})`,
    )
    for (const row of rows) insert.run(row)
  },
  async setLastNumber({ name }, last) {
    if (!isCounted(db, name)) return
    db.prepare('DELETE FROM sqlite_sequence WHERE name = ?').run(name)
    db.prepare('INSERT INTO sqlite_sequence (name, seq) VALUES (?, ?)').run(name, last)
  },
})

/** True for a table that never gives a number twice. */
const isCounted = (db: Database, name: string): boolean =>
  db.prepare(`SELECT 1 FROM sqlite_schema WHERE name = ? AND sql LIKE '%AUTOINCREMENT%'`).get(name) !==
  undefined

const quoted = (columns: readonly string[]): string => columns.map((column) => `"${column}"`).join(', ')

const charsOf = (row: CopiedRow): number =>
  Object.values(row).reduce<number>((sum, value) => sum + (typeof value === 'string' ? value.length : 8), 0)
