import { mayManage } from '../../chat/index.ts'
import type { Person, Role } from '../../words/person.ts'
import { type AllowedPeople, isAmong, type RoutinePolicy } from '../routines/index.ts'

/** `[routines] allow` of the config. */
export type MemoryPolicy = Pick<RoutinePolicy, 'allow'>

export const rememberers = ({ allow }: MemoryPolicy): AllowedPeople => allow.remember ?? 'ops'

const WHO: Readonly<Record<AllowedPeople, string>> = {
  members: 'only people with a name of their own',
  ops: 'only ops, the owner of the room and admins',
  admins: 'only admins',
  nobody: 'nobody',
}

export function whyNotRemember(
  policy: MemoryPolicy,
  { guest }: Pick<Person, 'guest'>,
  role: Role,
): string | undefined {
  if (guest) return GUEST
  const who = rememberers(policy)
  return isAmong(role, who) ? undefined : `${WHO[who]} may use remember here ([routines] allow.remember)`
}

export const GUEST = 'nothing is remembered about guests; log in with a name of your own'

/** True if the person may forget a memory of the room that `by` said. */
export const mayForget = (
  policy: MemoryPolicy,
  { id, guest }: Pick<Person, 'id' | 'guest'>,
  role: Role,
  by: Person['id'],
): boolean => !guest && (id === by || mayManage(role) || isAmong(role, rememberers(policy)))
