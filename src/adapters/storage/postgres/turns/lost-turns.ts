import { StorageError } from '../../../../chat/errors.ts'
import type { Statements } from '../statements.ts'
import { sql } from '../sql.ts'

/**
 * Throws `StorageError` if another server has taken over one of these turns, because this one had died to it. Until the
 * transaction ends, none does: so a turn has one end. A turn that is not stored is nobody's.
 */
export async function checkTurns(tx: Statements, ids: readonly string[]): Promise<void> {
  if (ids.length === 0) return
  const lost = await tx.get<{ id: string }>(sql`
    WITH theirs AS (SELECT id, server FROM turns WHERE id = ANY(${ids}) ORDER BY id FOR SHARE)
    SELECT id FROM theirs WHERE server <> current_setting('application_name') LIMIT 1`)
  if (lost) throw new StorageError('other', TAKEN_OVER)
}

const TAKEN_OVER =
  'this server was cut off from the database for too long, and another one has ended the turn'
