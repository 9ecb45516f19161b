import type { RoomName } from '../../../../chat/entry.ts'
import type { ResultLimits, ResultStore } from '../../../../tools/ports/results.ts'
import { type ResultRow, toResult } from '../../rows/result-row.ts'
import type { Connections } from '../connection.ts'
import { returned, type Statements } from '../statements.ts'
import { RESULTS } from '../../locks.ts'
import { sql } from '../sql.ts'

/** Long results. The number of a result that was removed is never given again. */
export function createResultStore({ read, writeQueue }: Connections): ResultStore {
  const writes = writeQueue()
  return {
    put: ({ room, tool, pageSize, at, text, outside }, limits) =>
      writes.write(async (tx) => {
        const bytes = Buffer.byteLength(text)
        await removeExcess(tx, room, bytes, limits)
        const { last: fd } = returned(
          await tx.get<{ last: number }>(sql`
            INSERT INTO result_numbers (room, last) VALUES (${room}, 1)
            ON CONFLICT (room) DO UPDATE SET last = result_numbers.last + 1 RETURNING last`),
        )
        await tx.run(sql`
          INSERT INTO results (room, fd, tool, page_size, at, bytes, text, outside)
          VALUES (${room}, ${fd}, ${tool}, ${pageSize}, ${at}, ${bytes}, ${text}, ${outside ?? null})`)
        return fd
      }, RESULTS),
    async find(room, fd) {
      const row = await read.get<ResultRow>(
        sql`
          SELECT room, fd, tool, page_size, at, text, outside FROM results
          WHERE room = ${room} AND fd = ${fd}`,
      )
      return row && toResult(row)
    },
  }
}

/** Removes what is too old or too much, with the `bytes` that come: first of the room, then of all rooms, the oldest first. */
async function removeExcess(
  tx: Statements,
  room: RoomName,
  bytes: number,
  { since, roomBytes, allBytes }: ResultLimits,
): Promise<void> {
  await tx.run(sql`DELETE FROM results WHERE at < ${since}`)
  await tx.run(sql`
    DELETE FROM results WHERE room = ${room} AND fd IN (
      SELECT fd FROM (
        SELECT fd, sum(bytes) OVER (ORDER BY fd DESC) AS newer FROM results WHERE room = ${room}
      ) AS summed WHERE newer + ${bytes} > ${roomBytes})`)
  await tx.run(sql`
    DELETE FROM results WHERE (room, fd) IN (
      SELECT room, fd FROM (
        SELECT room, fd, sum(bytes) OVER (ORDER BY at DESC, room, fd DESC) AS newer FROM results
      ) AS summed WHERE newer + ${bytes} > ${allBytes})`)
}
