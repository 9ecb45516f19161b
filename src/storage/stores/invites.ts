import { type Kysely, type RawBuilder, sql } from 'kysely'
import type { RoomName } from '../../words/entry.ts'
import type { Invite, InviteStore, Newcomer } from '../../chat/people/index.ts'
import { changesRow, type Database, requireRow } from '../database.ts'
import { NAMES, personOf } from '../locks.ts'
import type { Tables } from '../tables.ts'
import { type PersonRow, registerPerson, toPerson } from './people.ts'

export function createInviteStore({ dialect, read, writes }: Database): InviteStore {
  const { write, statement } = writes()
  return {
    add: ({ digest, by, room, uses, until, at }, max) =>
      write(async (db) => {
        await db.deleteFrom('invites').where('until', '<=', at).execute()
        const open = await db.selectFrom('invites').select('id').where('by', '=', by).execute()
        if (open.length >= max) return undefined
        const row = { digest, by, room, uses, uses_left: uses, until, at }
        return (await db.insertInto('invites').values(row).returning('id').executeTakeFirstOrThrow()).id
      }, personOf(by)),
    list: (at, by) =>
      read(async (db) => {
        const { rows } = await sql<InviteRow>`${INVITES} WHERE invites.until > ${at}
          AND invites."by" = coalesce(${by ?? null}, invites."by") ORDER BY invites.id`.execute(db)
        return rows.map(toInvite)
      }),
    find: (digest, at) =>
      read(async (db) => {
        const row = await findOpen(db, digest, at)
        return row && toInvite(row)
      }),
    revoke: (id, at, by) =>
      statement((db) => {
        const isOwn = sql`"by" = coalesce(${by ?? null}, "by")`
        return changesRow(db, sql`DELETE FROM invites WHERE id = ${id} AND until > ${at} AND ${isOwn}`)
      }),
    redeem: (digest, newcomer) =>
      write(async (db) => {
        // Keeps everybody else from using or revoking the code until this write ends.
        const locked = db.selectFrom('invites').select('id').where('digest', '=', digest)
        await locked.modifyEnd(dialect.lockRow('update')).execute()
        const invite = await findOpen(db, digest, newcomer.at)
        if (!invite) return 'no-code'
        if (!(await registerPerson(db, newcomer))) return 'no-name'
        await takeUse(db, invite)
        const isInvited = invite.room !== null && (await inviteInto(db, invite.room, invite, newcomer))
        return toInvite(isInvited ? invite : { ...invite, room: null })
      }, NAMES),
  }
}

/** A row of `invites` with its maker. */
type InviteRow = Pick<Tables['invites'], 'room' | 'uses' | 'uses_left' | 'until'> &
  PersonRow & { readonly invite: number }

const INVITES: RawBuilder<InviteRow> = sql`
  SELECT invites.id AS invite, invites.room, invites.uses, invites.uses_left, invites.until,
    people.id, people.name, people.admin
  FROM invites JOIN people ON people.id = invites."by"`

const toInvite = ({ invite, room, uses, uses_left, until, ...maker }: InviteRow): Invite => ({
  id: invite,
  by: toPerson(maker),
  room,
  uses,
  usesLeft: uses_left,
  until,
})

async function findOpen(db: Kysely<Tables>, digest: string, at: number): Promise<InviteRow | undefined> {
  const { rows } = await sql<InviteRow>`${INVITES}
    WHERE invites.digest = ${digest} AND invites.until > ${at}`.execute(db)
  return rows[0]
}

async function takeUse(db: Kysely<Tables>, { invite, uses_left }: InviteRow): Promise<void> {
  if (uses_left === 1) await db.deleteFrom('invites').where('id', '=', invite).execute()
  else await sql`UPDATE invites SET uses_left = ${uses_left - 1} WHERE id = ${invite}`.execute(db)
}

/** False if the maker of the code may not invite people to the room any more. */
async function inviteInto(
  db: Kysely<Tables>,
  room: RoomName,
  { id: maker, name: inviter, admin }: InviteRow,
  { person: { id: person }, at }: Newcomer,
): Promise<boolean> {
  const { rows } = await sql<{ isPrivate: number; manages: unknown }>`
    SELECT private AS "isPrivate", EXISTS (SELECT 1 FROM members
      WHERE room = rooms.name AND person = ${maker} AND membership IN ('owner', 'op')) AS manages
    FROM rooms WHERE name = ${room}`.execute(db)
  const { isPrivate, manages } = requireRow(rows[0])
  if (isPrivate === 1 && !manages && admin === 0) return false
  const membership = isPrivate === 1 ? 'invited' : 'member'
  await db.insertInto('members').values({ room, person, membership }).execute()
  if (isPrivate === 1)
    await db.insertInto('untold_invitations').values({ person, room, inviter, at }).execute()
  return true
}
