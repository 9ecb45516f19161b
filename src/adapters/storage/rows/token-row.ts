import type { RoomName } from '../../../chat/entry.ts'
import type { Fingerprint } from '../../../chat/people/person.ts'
import type { StoredToken } from '../../../chat/people/ports.ts'
import { type PersonRow, toPerson } from './person-row.ts'

/** A row of `tokens` with its maker. */
export type TokenRow = PersonRow & {
  readonly token: number
  readonly key: Fingerprint | null
  /** A list as JSON; null for all rooms. */
  readonly rooms: string | null
  readonly at: number
  readonly until: number
}

export const toToken = ({ token, key, rooms, at, until, ...maker }: TokenRow): StoredToken => ({
  id: token,
  by: toPerson(maker),
  key,
  rooms: rooms === null ? null : (JSON.parse(rooms) as readonly RoomName[]),
  at,
  until,
})
