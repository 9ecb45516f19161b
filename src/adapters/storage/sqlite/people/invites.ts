import type { RoomName } from '../../../../chat/entry.ts'
import type { InviteStore, NewInvite } from '../../../../chat/people/ports.ts'
import type { PersonId } from '../../../../chat/people/person.ts'
import { type InviteRow, toInvite } from '../../rows/invite-row.ts'
import { type Connection, returned } from '../connection.ts'
import { prepareRegister } from './people.ts'

/** The open codes of one person, or, where `by` is null, of all. */
interface Whose {
  readonly at: number
  readonly by: PersonId | null
}

/** Invite codes. */
export function createInviteStore(connection: Connection): InviteStore {
  const { read, write } = connection
  const sql = prepare(connection)
  const register = prepareRegister(connection)
  return {
    add: (invite, max) =>
      write(() => {
        sql.sweep.run(invite.at)
        if (sql.list.all(invite).length >= max) return undefined
        return Number(sql.add.run(invite).lastInsertRowid)
      }),
    list: (at, by) => read(() => sql.list.all({ at, by: by ?? null }).map(toInvite)),
    find: (digest, at) =>
      read(() => {
        const row = sql.find.get({ digest, at })
        return row && toInvite(row)
      }),
    revoke: (id, at, by) => write(() => sql.revoke.run({ id, at, by: by ?? null }).changes === 1),
    redeem: (digest, { person, skeleton, key, at, most }) =>
      write(() => {
        const invite = sql.find.get({ digest, at })
        if (!invite) return 'no-code'
        if (!register(person, skeleton, key, at, most)) return 'no-name'
        if (invite.uses_left === 1) sql.remove.run(invite.invite)
        else sql.use.run(invite.invite)
        const isInvited = invite.room !== null && inviteInto(invite.room, person.id, invite)
        return toInvite(isInvited ? invite : { ...invite, room: null })
      }),
  }

  function inviteInto(room: RoomName, newcomer: PersonId, { id: maker, admin }: InviteRow): boolean {
    const { isPrivate, manages } = returned(sql.mayInvite.get({ room, maker }))
    if (isPrivate === 1 && manages === 0 && admin === 0) return false
    sql.enter.run({ room, newcomer, membership: isPrivate === 1 ? 'invited' : 'member' })
    return true
  }
}

function prepare({ db }: Connection) {
  const rows = `SELECT invites.id AS invite, invites.room, invites.uses, invites.uses_left, invites.until,
      people.id, people.name, people.admin
    FROM invites JOIN people ON people.id = invites."by"`
  return {
    sweep: db.prepare<[number]>('DELETE FROM invites WHERE until <= ?'),
    add: db.prepare<[NewInvite]>(
      `INSERT INTO invites (digest, "by", room, uses, uses_left, until, at)
       VALUES (@digest, @by, @room, @uses, @uses, @until, @at)`,
    ),
    list: db.prepare<[Whose], InviteRow>(
      `${rows} WHERE invites.until > @at AND invites."by" = ifnull(@by, invites."by") ORDER BY invites.id`,
    ),
    find: db.prepare<[{ digest: string; at: number }], InviteRow>(
      `${rows} WHERE invites.digest = @digest AND invites.until > @at`,
    ),
    revoke: db.prepare<[Whose & { readonly id: number }]>(
      'DELETE FROM invites WHERE id = @id AND until > @at AND "by" = ifnull(@by, "by")',
    ),
    use: db.prepare<[number]>('UPDATE invites SET uses_left = uses_left - 1 WHERE id = ?'),
    remove: db.prepare<[number]>('DELETE FROM invites WHERE id = ?'),
    mayInvite: db.prepare<[{ room: RoomName; maker: PersonId }], { isPrivate: number; manages: number }>(
      `SELECT private AS isPrivate, EXISTS (SELECT 1 FROM members
         WHERE room = rooms.name AND person = @maker AND membership IN ('owner', 'op')) AS manages
       FROM rooms WHERE name = @room`,
    ),
    enter: db.prepare<[{ room: RoomName; newcomer: PersonId; membership: 'invited' | 'member' }]>(
      'INSERT INTO members (room, person, membership) VALUES (@room, @newcomer, @membership)',
    ),
  }
}
