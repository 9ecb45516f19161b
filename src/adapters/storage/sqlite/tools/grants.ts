import type { RoomName } from '../../../../chat/entry.ts'
import type { GrantStore } from '../../../../approvals/ports.ts'
import { type GrantRow, toGrant } from '../../rows/grant-row.ts'
import { type Connection, returned } from '../connection.ts'

type Wanted = Parameters<GrantStore['find']>[0]

/** Standing permissions. */
export function createGrantStore({ db, read, write }: Connection): GrantStore {
  const sql = prepare(db)
  return {
    put: (grant) =>
      write(() => {
        sql.sweep.run(grant.room, grant.at)
        return toGrant(returned(sql.put.get({ ...grant, until: grant.until ?? null })))
      }),
    find: (wanted) =>
      read(() => {
        const row = sql.find.get(wanted)
        return row && toGrant(row)
      }),
    list: (room, at) => read(() => sql.list.all(room, at).map(toGrant)),
    remove: (room, id) => write(() => sql.remove.run(room, id).changes === 1),
  }
}

function prepare(db: Connection['db']) {
  return {
    sweep: db.prepare<[RoomName, number]>('DELETE FROM grants WHERE room = ? AND until <= ?'),
    put: db.prepare<[Omit<GrantRow, 'id'>], GrantRow>(
      `INSERT INTO grants (room, id, person, name, tool, target, until, "by", at)
       VALUES (@room, (SELECT ifnull(max(id), 0) + 1 FROM grants WHERE room = @room),
               @person, @name, @tool, @target, @until, @by, @at)
       ON CONFLICT (person, room, tool, target) DO UPDATE SET until = @until, "by" = @by, at = @at
       RETURNING *`,
    ),
    find: db.prepare<[Wanted], GrantRow>(
      `SELECT * FROM grants
       WHERE person = @person AND room = @room AND tool = @tool AND target = @target AND ifnull(until > @at, 1)`,
    ),
    list: db.prepare<[RoomName, number], GrantRow>(
      'SELECT * FROM grants WHERE room = ? AND ifnull(until > ?, 1) ORDER BY id',
    ),
    remove: db.prepare<[RoomName, number]>('DELETE FROM grants WHERE room = ? AND id = ?'),
  }
}
