import type { InvitationNotice, InvitationNoticeStore } from '../../../../chat/invitations/ports.ts'
import type { Connections } from '../connection.ts'
import { sql } from '../sql.ts'

/** Rows of `untold_invitations`. */
export function createInvitationNoticeStore({ writeQueue }: Connections): InvitationNoticeStore {
  const writes = writeQueue()
  return {
    async put({ person, room, inviter, at }) {
      await writes.run(sql`
        INSERT INTO untold_invitations (person, room, inviter, at) VALUES (${person}, ${room}, ${inviter}, ${at})
        ON CONFLICT (person, room) DO UPDATE SET inviter = excluded.inviter, at = excluded.at`)
    },
    take: (person) =>
      writes.write(async (tx) => {
        // Who deletes a row tells of it: of two servers that take them at once, one has each.
        const taken = await tx.all<InvitationNotice>(
          sql`DELETE FROM untold_invitations WHERE person = ${person} RETURNING person, room, inviter, at`,
        )
        const rooms = await tx.all<Pick<InvitationNotice, 'room'>>(
          sql`SELECT room FROM members WHERE person = ${person} AND membership = 'invited'`,
        )
        const open = new Set(rooms.map(({ room }) => room))
        return taken.filter(({ room }) => open.has(room)).toSorted(byTime)
      }),
  }
}

const byTime = (a: InvitationNotice, b: InvitationNotice): number => a.at - b.at || (a.room < b.room ? -1 : 1)
