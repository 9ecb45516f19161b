import type { RoomName } from '../../../chat/entry.ts'
import type { StoredSummary, SummaryStore } from '../../../prompt/ports.ts'
import { type DraftRow, MAX_VERSIONS, toDraft } from '../rows/summary-row.ts'
import type { Connection } from './connection.ts'

type NewVersion = Omit<StoredSummary, 'version'>

/** Rooms' summaries. */
export function createSummaryStore({ db, read, write }: Connection): SummaryStore {
  const sql = prepare(db)

  function add(summary: NewVersion, replaces?: number): StoredSummary | undefined {
    const added = sql.insert.get({ ...summary, replaces: replaces ?? null })
    if (added) sql.forget.run(added.room, added.version - MAX_VERSIONS)
    return added
  }

  return {
    current: (room) => read(() => sql.versions.get(room)),
    versions: (room) => read(() => sql.versions.all(room)),
    put: (summary, replaces) => write(() => add(summary, replaces)),
    draft: (room) =>
      read(() => {
        const row = sql.draft.get(room)
        return row && toDraft(row)
      }),
    putDraft: (room, draft) =>
      write(() => {
        if (draft === undefined) sql.dropDraft.run(room)
        else sql.putDraft.run({ room, first: '', last: '', ...draft })
      }),
    finishDraft: (summary) =>
      write(() => {
        add(summary)
        sql.dropDraft.run(summary.room)
      }),
  }
}

function prepare(db: Connection['db']) {
  return {
    versions: db.prepare<[RoomName], StoredSummary>(
      'SELECT * FROM room_summaries WHERE room = ? ORDER BY version DESC',
    ),
    insert: db.prepare<[NewVersion & { readonly replaces: number | null }], StoredSummary>(
      `INSERT INTO room_summaries (room, version, text, first, last, author, at)
       SELECT @room, newest + 1, @text, @first, @last, @author, @at
       FROM (SELECT ifnull(max(version), 0) AS newest FROM room_summaries WHERE room = @room)
       WHERE @replaces IS NULL OR newest = @replaces
       RETURNING *`,
    ),
    forget: db.prepare<[RoomName, number]>('DELETE FROM room_summaries WHERE room = ? AND version <= ?'),
    draft: db.prepare<[RoomName], DraftRow>('SELECT text, first, last FROM summary_drafts WHERE room = ?'),
    putDraft: db.prepare<[DraftRow & { readonly room: RoomName }]>(
      `INSERT INTO summary_drafts (room, text, first, last) VALUES (@room, @text, @first, @last)
       ON CONFLICT DO UPDATE SET text = excluded.text, first = excluded.first, last = excluded.last`,
    ),
    dropDraft: db.prepare<[RoomName]>('DELETE FROM summary_drafts WHERE room = ?'),
  }
}
