import { setImmediate } from 'node:timers/promises'
import type { Entry, EntryId } from '../../../chat/entry.ts'
import type { Connection } from './connection.ts'
import { createEntryQueries, type EntryQuery, type EntryRow, toEntry } from './entry-query.ts'

/** Rows looked through at a time: about 1.5 ms (a million rows take 0.7 s). */
const ROWS_PER_SLICE = 2000

/** The matches in the newest slice of a log, and the query for the rest, if there is a rest. */
interface Slice {
  readonly rows: readonly EntryRow[]
  readonly rest?: EntryQuery
}

/**
 * Finds words by looking through a room's log from the newest entry back, in slices, so that everything else
 * goes on between them however long the log is. Gives the newest that match, oldest first.
 */
export function createEntrySearch({
  db,
  read,
}: Connection): (query: EntryQuery) => Promise<readonly Entry[]> {
  const entries = createEntryQueries(db)
  /** The oldest row of the newest slice, and the one beyond it. Without `before`: a blob is more than any text. */
  const endOfSlice = db.prepare<[object], { id: EntryId }>(
    `SELECT id FROM entries INDEXED BY entries_by_room WHERE room = @room AND id < ifnull(@before, x'')
     ORDER BY id DESC LIMIT 2 OFFSET ${ROWS_PER_SLICE - 1}`,
  )

  function readSlice(query: EntryQuery): Slice {
    const [oldest, beyond] = endOfSlice.all({ room: query.room, before: query.before ?? null })
    if (!oldest || !beyond || (query.after && beyond.id <= query.after)) return { rows: match(query) }
    const rows = match({ ...query, after: beyond.id })
    return { rows, rest: { ...query, before: oldest.id, limit: query.limit - rows.length } }
  }

  function match(query: EntryQuery): readonly EntryRow[] {
    const { statement, values } = entries(query)
    return statement.all(values)
  }

  return async (query) => {
    const newestFirst: EntryRow[] = []
    let rest: EntryQuery | undefined = query
    while (rest && rest.limit > 0) {
      const wanted: EntryQuery = rest
      const slice = await read(() => readSlice(wanted))
      newestFirst.push(...slice.rows)
      rest = slice.rest
      await setImmediate()
    }
    return newestFirst.map(toEntry).toReversed()
  }
}
