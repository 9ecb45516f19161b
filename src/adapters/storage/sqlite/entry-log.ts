import type { Entry, EntryId } from '../../../chat/entry.ts'
import type { EntryLog } from '../../../chat/ports.ts'
import type { Connection } from './connection.ts'
import { createEntryQueries, type EntryQuery, type EntryRow, toEntry } from './entry-query.ts'
import { createEntrySearch } from './entry-search.ts'

/** The rooms' logs in the table `entries`. */
export function createEntryLog(connection: Connection): EntryLog {
  const { db, read, write } = connection
  const query = createEntryQueries(db)
  const search = createEntrySearch(connection)
  const insert = db.prepare<[EntryRow]>(
    `INSERT INTO entries (id, room, at, kind, author, text, data)
     VALUES (@id, @room, @at, @kind, @author, @text, @data)`,
  )
  const newestId = db.prepare<[], { id: EntryId | null }>('SELECT max(id) AS id FROM entries')
  const newest = (wanted: EntryQuery): Promise<readonly Entry[]> =>
    read(() => {
      const { statement, values } = query(wanted)
      return statement.all(values).map(toEntry).toReversed()
    })
  return {
    append: (entry) => write(() => void insert.run(toRow(entry))),
    read: (room, wanted) => (wanted.words ? search : newest)({ ...wanted, room }),
    lastId: () => read(() => newestId.get()?.id ?? undefined),
  }
}

function toRow({ id, room, at, kind, author, text, ...rest }: Entry): EntryRow {
  return { id, room, at, kind, author, text, data: JSON.stringify(rest) }
}
