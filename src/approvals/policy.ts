import { mayManage } from '../chat/access.ts'
import type { Person, Role } from '../chat/people/person.ts'
import type { AskedFor, Verdict } from './ports.ts'

/** Whether a verdict gives a grant. */
export const isLasting = (verdict: Verdict): verdict is 'room' | 'always' =>
  verdict === 'room' || verdict === 'always'

/** How long a grant with the verdict `room` lasts, in milliseconds: a working day. */
export const ROOM_GRANT_MS = 8 * 60 * 60 * 1000

/** Why nothing beyond the one call may be allowed; undefined where it may. */
export function whyOnlyOnce({ onceOnly, access, requester }: AskedFor): string | undefined {
  if (onceOnly) return 'it needs the network or has no sandbox'
  if (access === 'network') return 'what goes to the network is asked for each time'
  return requester.guest ? `${requester.name} is a guest` : undefined
}

/** True where nothing beyond the one call may be allowed. */
export const onlyOnce = (asked: AskedFor): boolean => whyOnlyOnce(asked) !== undefined

/**
 * Whether a person may decide. The requester may, and everybody who manages the room. Only an admin of the
 * server may allow the machine's own network or a command without a sandbox, because anybody can make a room
 * and manage it.
 */
export function mayDecide(verdict: Verdict, asked: AskedFor, person: Person, role: Role): boolean {
  if (asked.onceOnly && verdict !== 'denied') return role === 'admin'
  return asked.requester.id === person.id || mayManage(role)
}
