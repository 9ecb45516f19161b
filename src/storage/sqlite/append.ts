import type { EntryId, RoomName } from '../../words/entry.ts'
import type { AppendResult, EntryLog } from '../../chat/index.ts'
import { alreadyStored, ascendingId, type EntryRow, revise, toEntryRow } from '../stores/entries.ts'
import type { SqliteDatabase } from './database.ts'

/** Appends with statements that stay prepared. The entries of a tick share a commit, as all writes do. */
export function createAppend({ file, write }: SqliteDatabase): EntryLog['append'] {
  // A trigger counts the calls of tools.
  const insert = file.prepare<[EntryRow]>(
    `INSERT INTO entries (id, room, at, kind, author, text, data)
     VALUES (@id, @room, @at, @kind, @author, @text, @data)`,
  )
  const newestIn = file.prepare<[RoomName], { id: EntryId | null }>(
    'SELECT max(id) AS id FROM entries INDEXED BY entries_by_room WHERE room = ?',
  )
  const known = file.prepare<[EntryId]>('SELECT 1 FROM entries WHERE id = ?')
  return (entry) =>
    write((db) => {
      const after = newestIn.get(entry.room)?.id ?? undefined
      const id = ascendingId(entry.id, after)
      if (id !== entry.id && known.get(entry.id)) throw alreadyStored(entry.id)
      const stored = { ...entry, id }
      insert.run(toEntryRow(stored))
      const appended: AppendResult = after === undefined ? { id } : { id, after }
      const revised = revise(db, stored)
      return revised ? revised.then(() => appended) : appended
    })
}
