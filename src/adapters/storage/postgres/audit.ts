import { readMigrations } from '../migrations.ts'
import { type AuditRow, rightsQueries } from '../rights.ts'
import { createConnections } from './connection.ts'
import { countApplied, requireSchema, requireWritable } from './migrations.ts'
import { raw, sql } from './sql.ts'

/** A database that is looked at while servers use it. */
export interface Beside {
  readonly url: string
  readonly migrationsDir: string
}

/** Who may do what where. Rejects with `StorageError`. */
export async function rightsIn({ url, migrationsDir }: Beside, now: number): Promise<readonly AuditRow[]> {
  const migrations = readMigrations(migrationsDir)
  await using connection = createConnections(url)
  return await connection.transaction(async (tx) => {
    await tx.run(sql`SET TRANSACTION ISOLATION LEVEL REPEATABLE READ READ ONLY`)
    await requireSchema(tx, migrations)
    const rows: AuditRow[] = []
    for (const query of rightsQueries(now, listed)) rows.push(...(await tx.all<AuditRow>(raw(query))))
    return rows
  })
}

const listed = (list: string): string => `SELECT json_array_elements_text(${list}::json)`

/** Rejects with `StorageError` if the database is away, cannot be written, or needs a newer program. */
export async function look({ url, migrationsDir }: Beside): Promise<void> {
  await using connection = createConnections(url)
  await requireWritable(connection.read)
  await countApplied(connection.read, readMigrations(migrationsDir))
}
