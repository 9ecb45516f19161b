import type { RoomName } from '../../../chat/entry.ts'
import type { StoredSummary, SummaryStore } from '../../../prompt/ports.ts'
import { type DraftRow, MAX_VERSIONS, toDraft } from '../rows/summary-row.ts'
import type { Connections } from './connection.ts'
import type { Statements } from './statements.ts'
import { numbersOf } from '../locks.ts'
import { sql, type Sql } from './sql.ts'

/** Rooms' summaries. */
export function createSummaryStore({ read, writeQueue }: Connections): SummaryStore {
  const writes = writeQueue()
  return {
    current: (room) => read.get<StoredSummary>(sql`${newestFirst(room)} LIMIT 1`),
    versions: (room) => read.all<StoredSummary>(newestFirst(room)),
    put: (summary, replaces) => writes.write((tx) => add(tx, summary, replaces), numbersOf(summary.room)),
    async draft(room) {
      const row = await read.get<DraftRow>(
        sql`SELECT text, first, last FROM summary_drafts WHERE room = ${room}`,
      )
      return row && toDraft(row)
    },
    async putDraft(room, draft) {
      await writes.run(
        draft === undefined ? dropDraft(room) : putDraft(room, { first: '', last: '', ...draft }),
      )
    },
    finishDraft: (summary) =>
      writes.write(async (tx) => {
        await add(tx, summary)
        await tx.run(dropDraft(summary.room))
      }, numbersOf(summary.room)),
  }
}

async function add(
  tx: Statements,
  { room, text, first, last, author, at }: Omit<StoredSummary, 'version'>,
  replaces?: number,
): Promise<StoredSummary | undefined> {
  const added = await tx.get<StoredSummary>(sql`
    INSERT INTO room_summaries (room, version, text, first, last, author, at)
    SELECT ${room}, newest + 1, ${text}, ${first}, ${last}, ${author}, ${at}::bigint
    FROM (SELECT coalesce(max(version), 0) AS newest FROM room_summaries WHERE room = ${room}) AS known
    WHERE ${replaces ?? null}::bigint IS NULL OR newest = ${replaces ?? null}
    RETURNING room, version, text, first, last, author, at`)
  if (added)
    await tx.run(
      sql`DELETE FROM room_summaries WHERE room = ${room} AND version <= ${added.version - MAX_VERSIONS}`,
    )
  return added
}

const newestFirst = (room: RoomName): Sql => sql`
  SELECT room, version, text, first, last, author, at FROM room_summaries WHERE room = ${room} ORDER BY version DESC`

const putDraft = (room: RoomName, { text, first, last }: DraftRow): Sql => sql`
  INSERT INTO summary_drafts (room, text, first, last) VALUES (${room}, ${text}, ${first}, ${last})
  ON CONFLICT (room) DO UPDATE SET text = excluded.text, first = excluded.first, last = excluded.last`

const dropDraft = (room: RoomName): Sql => sql`DELETE FROM summary_drafts WHERE room = ${room}`
