import { sql } from 'kysely'
import type { Dialect } from '../database.ts'

export const postgresDialect: Dialect = {
  list: (values) => sql`(select unnest(${values}::text[]))`,
  fact: (name) => name,
  entriesBy: () => 'entries',
  limitsParts: true,
  firstRows: 500,
  lockRow: (strength) => sql.raw(`FOR ${strength.toUpperCase()}`),
  utcDay: (column) => sql`to_char(to_timestamp(${sql.ref(column)} / 1000) AT TIME ZONE 'UTC', 'YYYY-MM-DD')`,
  now: sql`cast(extract(epoch FROM clock_timestamp()) * 1000 AS bigint)`,
  grantTarget: sql`(person, room, tool, md5(target), coalesce(routine, ''))`,
}
