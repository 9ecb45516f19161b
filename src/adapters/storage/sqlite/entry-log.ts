import type { Entry, EntryId, RoomName } from '../../../chat/entry.ts'
import type { HeldPresence } from '../../../chat/presence/held-presence.ts'
import type { Appended } from '../../../chat/appended.ts'
import type { EntryLog } from '../../../chat/ports.ts'
import { alreadyStored, ascendingId } from '../append.ts'
import type { Connection } from './connection.ts'
import { type EntryRow, inTimeOrder, toEntry, toRow } from '../rows/entry-row.ts'
import { createEntryQueries, createSizeQueries } from './entry-query.ts'
import { entryReviser } from './talk/revisions.ts'

/** The rooms' logs in the table `entries`, but for searching and counting them, and for what waits to be summed up. */
export function createEntryLog({
  db,
  read,
  write,
}: Connection): Omit<EntryLog, 'search' | 'stats' | keyof HeldPresence> {
  const query = createEntryQueries(db)
  const sizeQuery = createSizeQueries(db)
  const insert = entryInserter(db)
  const newestId = db.prepare<[], { id: EntryId | null }>('SELECT max(id) AS id FROM entries')
  return {
    append: (entry) => write(() => insert(entry)),
    read: (room, wanted) =>
      read(() => {
        const { statement, values } = query({ ...wanted, room })
        return inTimeOrder(statement.all(values).map(toEntry), wanted)
      }),
    sizes: (room, wanted) =>
      read(() => {
        const { statement, values } = sizeQuery({ ...wanted, room })
        return inTimeOrder(statement.all(values), wanted)
      }),
    lastId: () => read(() => newestId.get()?.id ?? undefined),
  }
}

/** Appends an entry within the transaction of a caller. */
export function entryInserter(db: Connection['db']): (entry: Entry) => Appended {
  const insert = db.prepare<[EntryRow]>(
    `INSERT INTO entries (id, room, at, kind, author, text, data)
     VALUES (@id, @room, @at, @kind, @author, @text, @data)`,
  )
  const newestIn = db.prepare<[RoomName], { id: EntryId | null }>(
    'SELECT max(id) AS id FROM entries INDEXED BY entries_by_room WHERE room = ?',
  )
  const known = db.prepare<[EntryId]>('SELECT 1 FROM entries WHERE id = ?')
  const revise = entryReviser(db)
  return (entry) => {
    const after = newestIn.get(entry.room)?.id ?? undefined
    const id = ascendingId(entry.id, after)
    if (id !== entry.id && known.get(entry.id)) throw alreadyStored(entry.id)
    insert.run(toRow({ ...entry, id }))
    revise({ ...entry, id })
    return after === undefined ? { id } : { id, after }
  }
}
