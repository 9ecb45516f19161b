import type { EntryId } from '../../../chat/entry.ts'
import type { EntryLog } from '../../../chat/ports.ts'
import type { Connection } from './connection.ts'
import { createEntryQueries } from './entry-query.ts'
import { type EntryRow, toEntry, toRow } from './entry-rows.ts'

/** The rooms' logs in the table `entries`. */
export function createEntryLog({ db, read, write }: Connection): EntryLog {
  const query = createEntryQueries(db)
  const insert = db.prepare<[EntryRow]>(
    'INSERT INTO entries (id, room, at, kind, author, text, data) VALUES (@id, @room, @at, @kind, @author, @text, @data)',
  )
  const newestId = db.prepare<[], { id: EntryId | null }>('SELECT max(id) AS id FROM entries')
  return {
    append: (entry) => write(() => void insert.run(toRow(entry))),
    read: (room, wanted) =>
      read(() => {
        const { statement, values } = query({ ...wanted, room })
        return (statement.all(values) as EntryRow[]).map(toEntry).toReversed()
      }),
    lastId: () => read(() => newestId.get()?.id ?? undefined),
  }
}
