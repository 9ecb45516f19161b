import type { RoomName } from '../../../../chat/entry.ts'
import { type DayStats, type LogStats, MAX_AUTHORS, MAX_DAYS } from '../../../../chat/log-stats.ts'
import type { EntryLog } from '../../../../chat/ports.ts'
import type { Connection } from '../connection.ts'

interface Totals {
  readonly entries: number
  readonly first: number | null
  readonly last: number | null
}

/** Counts what is in a room's log, and its charges. It reads every entry of the room. */
export function createLogStats({ db, read }: Connection): Pick<EntryLog, 'stats'> {
  const totals = db.prepare<[RoomName], Totals>(
    'SELECT count(*) AS entries, min(at) AS first, max(at) AS last FROM entries WHERE room = ?',
  )
  const authors = db.prepare<[RoomName, number], LogStats['authors'][number]>(
    `SELECT author, count(*) AS entries FROM entries WHERE room = ?
     GROUP BY author ORDER BY entries DESC, author LIMIT ?`,
  )
  // A day may have charges and no entry: a summary is made without one.
  const days = db.prepare<{ readonly room: RoomName; readonly limit: number }, DayStats>(
    `SELECT day, sum(entries) AS entries, sum(calls) AS calls, sum(replies) AS replies,
       sum(input) AS input, sum(output) AS output
     FROM (
       SELECT date(at / 1000, 'unixepoch') AS day, count(*) AS entries,
         sum(CASE WHEN kind = 'tool_call' THEN data ->> '$.notRun' IS NULL ELSE 0 END) AS calls,
         sum(kind = 'reply') AS replies, 0 AS input, 0 AS output
       FROM entries WHERE room = @room GROUP BY 1
       UNION ALL
       SELECT date(at / 1000, 'unixepoch'), 0, 0, 0, sum(input), sum(output)
       FROM charges WHERE room = @room GROUP BY 1
     ) GROUP BY day ORDER BY day DESC LIMIT @limit`,
  )
  return {
    stats: (room) =>
      read(() => {
        const { entries = 0, first, last } = totals.get(room) ?? {}
        return {
          entries,
          ...(first == null ? {} : { first }),
          ...(last == null ? {} : { last }),
          authors: authors.all(room, MAX_AUTHORS),
          days: days.all({ room, limit: MAX_DAYS }),
        }
      }),
  }
}
