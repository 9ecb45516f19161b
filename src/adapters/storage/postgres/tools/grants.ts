import type { GrantStore } from '../../../../approvals/ports.ts'
import { type GrantRow, toGrant } from '../../rows/grant-row.ts'
import type { Connections } from '../connection.ts'
import { returned } from '../statements.ts'
import { numbersOf } from '../../locks.ts'
import { sql } from '../sql.ts'

/** Standing permissions. */
export function createGrantStore({ read, writeQueue }: Connections): GrantStore {
  const writes = writeQueue()
  return {
    put: ({ room, person, name, tool, target, until = null, by, at }) =>
      writes.write(async (tx) => {
        await tx.run(sql`DELETE FROM grants WHERE room = ${room} AND until <= ${at}`)
        const row = await tx.get<GrantRow>(sql`
          INSERT INTO grants (room, id, person, name, tool, target, until, "by", at)
          SELECT ${room}, coalesce(max(id), 0) + 1, ${person}, ${name}, ${tool}, ${target}, ${until}::bigint, ${by}, ${at}::bigint
          FROM grants WHERE room = ${room}
          ON CONFLICT (person, room, tool, md5(target)) DO UPDATE
            SET until = excluded.until, "by" = excluded."by", at = excluded.at
          RETURNING *`)
        return toGrant(returned(row))
      }, numbersOf(room)),
    async find({ person, room, tool, target, at }) {
      const row = await read.get<GrantRow>(sql`
        SELECT * FROM grants
        WHERE person = ${person} AND room = ${room} AND tool = ${tool} AND md5(target) = md5(${target}) AND target = ${target}
          AND (until IS NULL OR until > ${at})`)
      return row && toGrant(row)
    },
    async list(room, at) {
      const rows = await read.all<GrantRow>(
        sql`SELECT * FROM grants WHERE room = ${room} AND (until IS NULL OR until > ${at}) ORDER BY id`,
      )
      return rows.map(toGrant)
    },
    remove: async (room, id) =>
      (await writes.run(sql`DELETE FROM grants WHERE room = ${room} AND id = ${id}`)) === 1,
  }
}
