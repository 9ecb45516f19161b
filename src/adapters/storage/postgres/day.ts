import { sql } from './sql.ts'

/** The day of `at`, in UTC: `2026-01-31`. */
export const utcDay = sql`to_char(to_timestamp(at / 1000) AT TIME ZONE 'UTC', 'YYYY-MM-DD')`
