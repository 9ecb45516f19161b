import { sql, type Sql } from '../sql.ts'

/** Texts as a query has them after IN. */
export const listOf = (texts: readonly string[]): Sql =>
  sql`SELECT json_array_elements_text(${JSON.stringify(texts)}::json)`
