import type { Entry, EntryId } from '../../../chat/entry.ts'
import type { HeldPresence } from '../../../chat/presence/held-presence.ts'
import type { EntryLog, LogQuery } from '../../../chat/ports.ts'
import type { Connection } from './connection.ts'
import { createEntryQueries, createSizeQueries, type EntryRow, toEntry } from './entry-query.ts'
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

/** Rows as a query gives them: the newest come newest first. */
const inTimeOrder = <Row>(rows: Row[], { oldestFirst }: LogQuery): readonly Row[] =>
  oldestFirst ? rows : rows.toReversed()

/** Appends an entry within the transaction of a caller. */
export function entryInserter(db: Connection['db']): (entry: Entry) => void {
  const insert = db.prepare<[EntryRow]>(
    `INSERT INTO entries (id, room, at, kind, author, text, data)
     VALUES (@id, @room, @at, @kind, @author, @text, @data)`,
  )
  const revise = entryReviser(db)
  return (entry) => {
    insert.run(toRow(entry))
    revise(entry)
  }
}

function toRow({ id, room, at, kind, author, text, ...rest }: Entry): EntryRow {
  return { id, room, at, kind, author, text, data: JSON.stringify(rest) }
}
