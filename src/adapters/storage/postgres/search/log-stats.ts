import type { RoomName } from '../../../../chat/entry.ts'
import { type DayStats, type LogStats, MAX_AUTHORS, MAX_DAYS } from '../../../../chat/log-stats.ts'
import type { EntryLog } from '../../../../chat/ports.ts'
import type { Connections } from '../connection.ts'
import { utcDay } from '../day.ts'
import { sql } from '../sql.ts'

interface Totals {
  readonly entries: number
  readonly first: number | null
  readonly last: number | null
}

/** Counts what is in a room's log, and its charges. It reads every entry of the room. */
export function createLogStats({ read }: Connections): Pick<EntryLog, 'stats'> {
  const totals = (room: RoomName) => sql`
    SELECT count(*) AS entries, min(at) AS first, max(at) AS last FROM entries WHERE room = ${room}`
  const authors = (room: RoomName) => sql`
    SELECT author, count(*) AS entries FROM entries WHERE room = ${room}
    GROUP BY author ORDER BY entries DESC, author LIMIT ${MAX_AUTHORS}`
  // A day may have charges and no entry: a summary is made without one.
  const days = (room: RoomName) => sql`
    SELECT day, sum(entries) AS entries, sum(calls) AS calls, sum(replies) AS replies,
      sum(input) AS input, sum(output) AS output
    FROM (
      SELECT ${utcDay} AS day, count(*) AS entries, count(*) FILTER (WHERE kind = 'tool_call' AND not_run = 0) AS calls,
        count(*) FILTER (WHERE kind = 'reply') AS replies, 0 AS input, 0 AS output
      FROM entries WHERE room = ${room} GROUP BY 1
      UNION ALL
      SELECT ${utcDay}, 0, 0, 0, sum(input), sum(output) FROM charges WHERE room = ${room} GROUP BY 1
    ) AS counted GROUP BY day ORDER BY day DESC LIMIT ${MAX_DAYS}`
  return {
    async stats(room) {
      const { entries = 0, first, last } = (await read.get<Totals>(totals(room))) ?? {}
      return {
        entries,
        ...(first == null ? {} : { first }),
        ...(last == null ? {} : { last }),
        authors: await read.all<LogStats['authors'][number]>(authors(room)),
        days: await read.all<DayStats>(days(room)),
      }
    },
  }
}
