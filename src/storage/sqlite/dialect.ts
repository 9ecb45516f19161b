import { sql } from 'kysely'
import type { Dialect, EntryFact } from '../database.ts'

/** SQLite's forms of SQL. It has one writer and needs no locks; a parameter cannot be a list. */
export const sqliteDialect: Dialect = {
  list: (values) => sql`(select value from json_each(${JSON.stringify(values)}))`,
  fact: (name) => `json_extract(data, '$.${FACTS[name]}')`,
  // Without statistics the planner takes the wrong index for a rare kind between two ids.
  entriesBy: (index) => `entries INDEXED BY entries_by_${index}`,
  limitsParts: false,
  firstRows: 100,
  lockRow: () => sql``,
  utcDay: (column) => sql`date(${sql.ref(column)} / 1000, 'unixepoch')`,
  now: sql`cast(unixepoch('subsec') * 1000 AS integer)`,
  grantTarget: sql`(person, room, tool, target, coalesce(routine, ''))`,
}

const FACTS: Record<EntryFact, string> = {
  thread: 'thread',
  edits: 'edits',
  reacts: 'reacts',
  not_run: 'notRun',
}
