import type { InvitationNotice, InvitationNoticeStore } from '../../../../chat/invitations/ports.ts'
import type { PersonId } from '../../../../chat/people/person.ts'
import type { Connection } from '../connection.ts'

/** Rows of `untold_invitations`. */
export function createInvitationNoticeStore({ db, write }: Connection): InvitationNoticeStore {
  const put = db.prepare<[InvitationNotice]>(
    `INSERT INTO untold_invitations (person, room, inviter, at) VALUES (@person, @room, @inviter, @at)
     ON CONFLICT DO UPDATE SET inviter = excluded.inviter, at = excluded.at`,
  )
  const untold = db.prepare<[PersonId], InvitationNotice>(
    `SELECT untold.person, untold.room, inviter, at FROM untold_invitations AS untold
     JOIN members ON members.room = untold.room AND members.person = untold.person
     WHERE untold.person = ? AND membership = 'invited' ORDER BY at, untold.room`,
  )
  const forget = db.prepare<[PersonId]>('DELETE FROM untold_invitations WHERE person = ?')
  return {
    put: (notice) => write(() => void put.run(notice)),
    take: (person) =>
      write(() => {
        const notices = untold.all(person)
        forget.run(person)
        return notices
      }),
  }
}
