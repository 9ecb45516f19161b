import { ownColumns } from '../postgres/append.ts'
import type { Statements } from '../postgres/statements.ts'
import { joined, raw, sql } from '../postgres/sql.ts'
import { type EntryRow, toEntry } from '../stores/entries.ts'
import type { CopiedRow, CopySource, CopiedTable, CopyTarget } from './copy.ts'

/** Rows of a piece. A prompt may have a hundred thousand characters. */
const PIECE_ROWS = 100

/** Within a transaction that sees one moment. */
export const postgresSource = (tx: Statements): CopySource => ({
  async *rows({ name, columns }) {
    await tx.run(raw(`DECLARE copied CURSOR FOR SELECT ${quoted(columns)} FROM "${name}" ORDER BY 1`))
    for (;;) {
      const piece = await tx.all<CopiedRow>(raw(`FETCH ${PIECE_ROWS} FROM copied`))
      if (piece.length > 0) yield piece
      if (piece.length < PIECE_ROWS) break
    }
    await tx.run(raw('CLOSE copied'))
  },
  async lastNumber(table) {
    const sequence = await sequenceOf(tx, table)
    if (sequence === undefined) return undefined
    const state = await tx.get<{ last: number; isUsed: boolean }>(
      raw(`SELECT last_value AS last, is_called AS "isUsed" FROM ${sequence}`),
    )
    return state?.isUsed ? state.last : undefined
  },
})

/** Within the transaction of the caller. */
export function postgresTarget(tx: Statements): CopyTarget {
  return {
    async count({ name }) {
      return (await tx.get<{ rows: number }>(raw(`SELECT count(*) AS rows FROM "${name}"`)))?.rows ?? 0
    },
    async insert({ name }, rows) {
      const whole = name === 'entries' ? rows.map(wholeEntry) : rows
      const columns = Object.keys(whole[0] ?? {})
      const types = await typesOf(tx, name)
      const lists = columns.map(
        (column) => sql`${whole.map((row) => row[column])}::${raw(types.get(column) ?? 'text')}[]`,
      )
      await tx.run(
        sql`INSERT INTO ${raw(`"${name}" (${quoted(columns)})`)} SELECT * FROM unnest(${joined(lists, ', ')})`,
      )
    },
    async setLastNumber(table, last) {
      const sequence = await sequenceOf(tx, table)
      if (sequence !== undefined) await tx.get(sql`SELECT setval(${sequence}, ${last})`)
    },
  }
}

/** With what has a column here; its JSON stays as it is, byte for byte. */
const wholeEntry = (row: CopiedRow): CopiedRow => {
  const entry = row as unknown as EntryRow
  return { ...entry, ...ownColumns(toEntry(entry)) }
}

async function typesOf(tx: Statements, table: string): Promise<ReadonlyMap<string, string>> {
  const rows = await tx.all<{ name: string; type: string }>(sql`
    SELECT column_name::text AS name, data_type::text AS type FROM information_schema.columns
    WHERE table_schema = current_schema() AND table_name = ${table}`)
  return new Map(rows.map(({ name, type }) => [name, type]))
}

/** Of the table's ids, quoted; undefined where nobody numbers them here. */
async function sequenceOf(tx: Statements, { name, columns }: CopiedTable): Promise<string | undefined> {
  if (!columns.includes('id')) return undefined
  const row = await tx.get<{ sequence: string | null }>(
    sql`SELECT pg_get_serial_sequence(${name}, 'id') AS sequence`,
  )
  return row?.sequence ?? undefined
}

const quoted = (columns: readonly string[]): string => columns.map((column) => `"${column}"`).join(', ')
