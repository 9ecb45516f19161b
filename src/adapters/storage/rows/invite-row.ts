import type { Invite } from '../../../chat/people/ports.ts'
import { type PersonRow, toPerson } from './person-row.ts'

/** A row of `invites` with its maker. */
export type InviteRow = Omit<Invite, 'id' | 'by' | 'usesLeft'> &
  PersonRow & { readonly invite: number; readonly uses_left: number }

export const toInvite = ({ invite, room, uses, uses_left, until, ...maker }: InviteRow): Invite => ({
  id: invite,
  by: toPerson(maker),
  room,
  uses,
  usesLeft: uses_left,
  until,
})
