import type { RoomName } from '../../../../chat/entry.ts'
import type { InviteStore } from '../../../../chat/people/ports.ts'
import type { PersonId } from '../../../../chat/people/person.ts'
import { type InviteRow, toInvite } from '../../rows/invite-row.ts'
import type { Connections } from '../connection.ts'
import { returned, type Statements } from '../statements.ts'
import { NAMES, personOf } from '../../locks.ts'
import { sql, type Sql } from '../sql.ts'
import { register } from './people.ts'

/** Invite codes. */
export function createInviteStore({ read, writeQueue }: Connections): InviteStore {
  const writes = writeQueue()
  return {
    add: ({ digest, by, room, uses, until, at }, max) =>
      writes.write(async (tx) => {
        await tx.run(sql`DELETE FROM invites WHERE until <= ${at}`)
        if ((await tx.all(openOnes(at, by))).length >= max) return undefined
        const { id } = returned(
          await tx.get<{ id: number }>(sql`
            INSERT INTO invites (digest, "by", room, uses, uses_left, until, at)
            VALUES (${digest}, ${by}, ${room}, ${uses}, ${uses}, ${until}, ${at}) RETURNING id`),
        )
        return id
      }, personOf(by)),
    list: async (at, by) => (await read.all<InviteRow>(openOnes(at, by))).map(toInvite),
    async find(digest, at) {
      const row = await read.get<InviteRow>(openWith(digest, at))
      return row && toInvite(row)
    },
    revoke: async (id, at, by) =>
      (await writes.run(
        sql`DELETE FROM invites WHERE id = ${id} AND until > ${at} AND "by" = coalesce(${by ?? null}, "by")`,
      )) === 1,
    redeem: (digest, newcomer) =>
      writes.write(async (tx) => {
        // Nobody else takes a use of it, or revokes it, until this is done.
        const invite = await tx.get<InviteRow>(sql`${openWith(digest, newcomer.at)} FOR UPDATE OF invites`)
        if (!invite) return 'no-code'
        if (!(await register(tx, newcomer))) return 'no-name'
        await tx.run(useOf(invite))
        const isInvited =
          invite.room !== null && (await inviteInto(tx, invite.room, newcomer.person.id, invite))
        return toInvite(isInvited ? invite : { ...invite, room: null })
      }, NAMES),
  }
}

const ROWS = sql`
  SELECT invites.id AS invite, invites.room, invites.uses, invites.uses_left, invites.until,
    people.id, people.name, people.admin
  FROM invites JOIN people ON people.id = invites."by"`

/** The open codes of one person, or, where `by` is absent, of all. */
const openOnes = (at: number, by: PersonId | undefined): Sql => sql`
  ${ROWS} WHERE invites.until > ${at} AND invites."by" = coalesce(${by ?? null}, invites."by") ORDER BY invites.id`

const openWith = (digest: string, at: number): Sql =>
  sql`${ROWS} WHERE invites.digest = ${digest} AND invites.until > ${at}`

const useOf = ({ invite, uses_left }: InviteRow): Sql =>
  uses_left === 1
    ? sql`DELETE FROM invites WHERE id = ${invite}`
    : sql`UPDATE invites SET uses_left = uses_left - 1 WHERE id = ${invite}`

/** False where the maker of the code may not invite there any more. */
async function inviteInto(
  tx: Statements,
  room: RoomName,
  newcomer: PersonId,
  { id: maker, admin }: InviteRow,
): Promise<boolean> {
  const { isPrivate, manages } = returned(
    await tx.get<{ isPrivate: number; manages: boolean }>(sql`
      SELECT private AS "isPrivate", EXISTS (SELECT 1 FROM members
        WHERE room = rooms.name AND person = ${maker} AND membership IN ('owner', 'op')) AS manages
      FROM rooms WHERE name = ${room}`),
  )
  if (isPrivate === 1 && !manages && admin === 0) return false
  await tx.run(sql`
    INSERT INTO members (room, person, membership)
    VALUES (${room}, ${newcomer}, ${isPrivate === 1 ? 'invited' : 'member'})`)
  return true
}
