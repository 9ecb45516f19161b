import type { RoomName } from '../../../chat/entry.ts'
import type { LongResult, ResultStore } from '../../../tools/ports/results.ts'
import { type Connection, returned } from './connection.ts'

type ResultRow = Omit<LongResult, 'pageSize'> & { readonly page_size: number }
type SizeRow = { readonly fd: number; readonly bytes: number }

/** Long results. The number of a result that was removed is never given again. */
export function createResultStore({ db, read, write }: Connection): ResultStore {
  const sql = prepare(db)

  /** Removes a room's oldest results, until those left and `bytes` more are at most `maxBytes`. */
  function removeOldest(room: RoomName, bytes: number, maxBytes: number): void {
    let total = bytes
    for (const row of sql.sizes.all(room)) {
      total += row.bytes
      if (total > maxBytes) return void sql.removeUpTo.run(room, row.fd)
    }
  }

  return {
    put: ({ pageSize, ...result }, { since, roomBytes }) =>
      write(() => {
        const bytes = Buffer.byteLength(result.text)
        sql.sweep.run(since)
        removeOldest(result.room, bytes, roomBytes)
        const { last: fd } = returned(sql.number.get(result.room))
        sql.insert.run({ ...result, fd, bytes, page_size: pageSize })
        return fd
      }),
    find: (room, fd) =>
      read(() => {
        const row = sql.find.get(room, fd)
        return row && toResult(row)
      }),
  }
}

function prepare(db: Connection['db']) {
  return {
    sweep: db.prepare<[number]>('DELETE FROM results WHERE at < ?'),
    sizes: db.prepare<[RoomName], SizeRow>('SELECT fd, bytes FROM results WHERE room = ? ORDER BY fd DESC'),
    removeUpTo: db.prepare<[RoomName, number]>('DELETE FROM results WHERE room = ? AND fd <= ?'),
    number: db.prepare<[RoomName], { last: number }>(
      `INSERT INTO result_numbers (room, last) VALUES (?, 1)
       ON CONFLICT DO UPDATE SET last = last + 1 RETURNING last`,
    ),
    insert: db.prepare<[ResultRow & SizeRow]>(
      `INSERT INTO results (room, fd, tool, page_size, at, bytes, text)
       VALUES (@room, @fd, @tool, @page_size, @at, @bytes, @text)`,
    ),
    find: db.prepare<[RoomName, number], ResultRow>(
      'SELECT room, fd, tool, page_size, at, text FROM results WHERE room = ? AND fd = ?',
    ),
  }
}

const toResult = ({ page_size: pageSize, ...row }: ResultRow): LongResult => ({ ...row, pageSize })
