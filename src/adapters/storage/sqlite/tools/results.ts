import type { RoomName } from '../../../../chat/entry.ts'
import type { ResultLimits, ResultStore } from '../../../../tools/ports/results.ts'
import { type ResultRow, toResult } from '../../rows/result-row.ts'
import { type Connection, returned } from '../connection.ts'

type Removed = { readonly bytes: number }
type SizeRow = Removed & { readonly fd: number }

/** Long results. The number of a result that was removed is never given again. */
export function createResultStore({ db, read, write }: Connection): ResultStore {
  const sql = prepare(db)

  /**
   * Bytes of all texts at most: those of a room that was deleted went with it. Undefined where they must be added up anew:
   * at first, and after a change that failed.
   */
  let known: number | undefined

  const sumOfAll = (): number => returned(sql.sum.get()).bytes

  /** Removes a room's oldest results, until those left and `bytes` more are at most `maxBytes`. */
  function removeOldestOf(room: RoomName, bytes: number, maxBytes: number): readonly Removed[] {
    let total = bytes
    for (const row of sql.sizes.all(room)) {
      total += row.bytes
      if (total > maxBytes) return sql.removeUpTo.all(room, row.fd)
    }
    return []
  }

  /** Removes what is too old or too much. Gives the bytes that are left, with the `bytes` that come. */
  function removeExcess(room: RoomName, bytes: number, limits: ResultLimits): number {
    let kept = known ?? sumOfAll()
    kept -= sumOf(sql.sweep.all(limits.since))
    kept -= sumOf(removeOldestOf(room, bytes, limits.roomBytes))
    if (kept + bytes > limits.allBytes) kept = sumOfAll()
    while (kept > 0 && kept + bytes > limits.allBytes) kept -= sumOf(sql.removeOldest.all())
    return kept + bytes
  }

  async function counted<T>(change: Promise<T>): Promise<T> {
    try {
      return await change
    } catch (error) {
      known = undefined
      throw error
    }
  }

  return {
    put: ({ pageSize, outside, ...result }, limits) =>
      counted(
        write(() => {
          const bytes = Buffer.byteLength(result.text)
          known = removeExcess(result.room, bytes, limits)
          const { last: fd } = returned(sql.number.get(result.room))
          sql.insert.run({ ...result, fd, bytes, page_size: pageSize, outside: outside ?? null })
          return fd
        }),
      ),
    find: (room, fd) =>
      read(() => {
        const row = sql.find.get(room, fd)
        return row && toResult(row)
      }),
  }
}

const sumOf = (removed: readonly Removed[]): number => removed.reduce((sum, { bytes }) => sum + bytes, 0)

function prepare(db: Connection['db']) {
  return {
    sum: db.prepare<[], Removed>('SELECT COALESCE(SUM(bytes), 0) AS bytes FROM results'),
    sweep: db.prepare<[number], Removed>('DELETE FROM results WHERE at < ? RETURNING bytes'),
    removeOldest: db.prepare<[], Removed>(
      'DELETE FROM results WHERE rowid = (SELECT rowid FROM results ORDER BY at LIMIT 1) RETURNING bytes',
    ),
    sizes: db.prepare<[RoomName], SizeRow>('SELECT fd, bytes FROM results WHERE room = ? ORDER BY fd DESC'),
    removeUpTo: db.prepare<[RoomName, number], Removed>(
      'DELETE FROM results WHERE room = ? AND fd <= ? RETURNING bytes',
    ),
    number: db.prepare<[RoomName], { last: number }>(
      `INSERT INTO result_numbers (room, last) VALUES (?, 1)
       ON CONFLICT DO UPDATE SET last = last + 1 RETURNING last`,
    ),
    insert: db.prepare<[ResultRow & SizeRow]>(
      `INSERT INTO results (room, fd, tool, page_size, at, bytes, text, outside)
       VALUES (@room, @fd, @tool, @page_size, @at, @bytes, @text, @outside)`,
    ),
    find: db.prepare<[RoomName, number], ResultRow>(
      'SELECT room, fd, tool, page_size, at, text, outside FROM results WHERE room = ? AND fd = ?',
    ),
  }
}
