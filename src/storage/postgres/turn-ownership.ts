import { type Kysely, sql } from 'kysely'
import { StorageError } from '../../words/errors.ts'
import type { TurnOwnership, TurnRow } from '../stores/turns.ts'
import type { Tables } from '../tables.ts'

/** Ownership by the column `turns.server`: the name of the connection that began the turn or took it over. */
export const turnOwnership: TurnOwnership = { check: checkTurns, takeOver }

async function checkTurns(db: Kysely<Tables>, ids: readonly string[]): Promise<void> {
  if (ids.length === 0) return
  const { rows } = await sql`
    WITH theirs AS (SELECT id, server FROM turns WHERE id = ANY(${ids}) ORDER BY id FOR SHARE)
    SELECT id FROM theirs WHERE server <> current_setting('application_name') LIMIT 1`.execute(db)
  if (rows.length > 0) throw new StorageError('other', TAKEN_OVER)
}

const TAKEN_OVER =
  'this server was cut off from the database for too long, and another one has ended the turn'

/** Also takes over sub-turns: the dead server may store nothing more in them. */
async function takeOver(db: Kysely<Tables>): Promise<readonly TurnRow[]> {
  const { rows } = await sql<TurnRow & { readonly died: string | null }>`
    UPDATE turns SET server = current_setting('application_name')
    FROM (SELECT id, server AS died FROM turns AS open WHERE ended_at IS NULL
      AND NOT EXISTS (SELECT 1 FROM servers WHERE servers.id = open.server) FOR UPDATE) AS found
    WHERE turns.id = found.id RETURNING turns.*, died`.execute(db)
  if (rows.length === 0) return []
  await sql`
    UPDATE turns SET server = current_setting('application_name')
    WHERE parent IS NOT NULL AND server = ANY(${rows.map(({ died }) => died)})
      AND room = ANY(${rows.map(({ room }) => room)})
      AND started_at >= ${Math.min(...rows.map((row) => row.started_at))}`.execute(db)
  return rows
}
