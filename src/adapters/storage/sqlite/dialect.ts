import { sql } from 'kysely'
import type { Dialect } from '../database.ts'

/** SQLite's words. One writer needs no locks, and its parameters are no lists. */
export const sqliteDialect: Dialect = {
  list: (values) => sql`(select value from json_each(${JSON.stringify(values)}))`,
  lockRow: () => sql``,
  utcDay: (column) => sql`date(${sql.ref(column)} / 1000, 'unixepoch')`,
  now: sql`unixepoch('subsec') * 1000`,
  grantTarget: sql`(person, room, tool, target)`,
  isLent: () => sql`false`,
}
