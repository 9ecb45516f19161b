import { Refusal } from '../../words/errors.ts'
import { mayManage, type Room } from '../../chat/index.ts'
import type { Person, Role } from '../../words/person.ts'
import { type Access, ALLOWERS, type AllowRules, type Answerers } from '../../words/tool-words.ts'
import type { Clock } from '../../base/environment.ts'
import type { PermissionRequest } from '../../tools/index.ts'
import type { ApprovalSubject, GrantStore, Verdict } from './ports.ts'

/** Only an admin may allow `onceOnly` calls, because anybody can manage a room of their own. */
export function mayDecide(verdict: Verdict, asked: ApprovalSubject, person: Person, role: Role): boolean {
  if (asked.answeredBy) return mayAnswer(asked.answeredBy, verdict, asked.requester.id === person.id, role)
  if (asked.onceOnly && verdict !== 'denied') return role === 'admin'
  if (mayManage(role)) return true
  const needsOp = verdict === 'always' || (asked.needsOp && verdict !== 'denied')
  return asked.requester.id === person.id && !needsOp
}

function mayAnswer(answerers: Answerers, verdict: Verdict, isRequester: boolean, role: Role): boolean {
  if (isLasting(verdict)) return false
  if (verdict === 'denied' && (isRequester || mayManage(role))) return true
  switch (answerers) {
    case 'requester':
      return isRequester
    case 'members':
      return role !== 'guest'
    case 'ops':
      return mayManage(role)
    case 'admins':
      return role === 'admin'
  }
}

/** Returns the access with the stricter rule: the question's or the tool's. */
export function ruledAccess(
  rules: AllowRules,
  { access, toolAccess = access }: Pick<PermissionRequest, 'access' | 'toolAccess'>,
): Access {
  const strictness = (one: Access): number => ALLOWERS.indexOf(rules[one])
  return strictness(access) < strictness(toolAccess) ? toolAccess : access
}

export function whyOnlyOnce({
  onceOnly,
  answeredBy,
  access,
  requester,
  routine,
}: ApprovalSubject): string | undefined {
  if (onceOnly) return 'it needs the network or has no sandbox'
  if (answeredBy) return 'it is asked for each time'
  if (access === 'network') return 'what goes to the network is asked for each time'
  if (routine && routine.id === undefined) return "the room's script asks"
  return requester.guest ? `${requester.name} is a guest` : undefined
}

export const isLasting = (verdict: Verdict): verdict is 'room' | 'always' =>
  verdict === 'room' || verdict === 'always'

/** How long `/allow room` allows: a working day. */
export const ROOM_GRANT_MS = 8 * 60 * 60 * 1000

/** Limit in one room. */
const MAX_GRANTS_PER_PERSON = 100

/** All functions reject with `StorageError`. */
export const createGrants = (store: GrantStore, clock: Clock) => ({
  async covers(asked: ApprovalSubject): Promise<boolean> {
    if (whyOnlyOnce(asked) !== undefined) return false
    const { requester, room, tool, target } = asked
    const what = { person: requester.id, room, tool, target, at: clock.now(), ...routineOf(asked) }
    return (await store.find(what)) !== undefined
  },
  async give(by: Pick<Person, 'name'>, verdict: 'room' | 'always', asked: ApprovalSubject): Promise<void> {
    const { requester, room, tool, target } = asked
    const at = clock.now()
    const until = verdict === 'room' ? { until: at + ROOM_GRANT_MS } : {}
    const who = { person: requester.id, name: requester.name, by: by.name }
    await store.put({ room, tool, target, at, ...who, ...until, ...routineOf(asked) })
  },
  async refuseIfFull({ requester: { id, name }, room }: ApprovalSubject): Promise<void> {
    const grants = await store.list(room, clock.now())
    if (grants.filter(({ person }) => person === id).length < MAX_GRANTS_PER_PERSON) return
    const full = `${name} has ${MAX_GRANTS_PER_PERSON} permissions in ${room} already`
    throw new Refusal(`${full}; revoke some (perms), or allow it once`)
  },
})

const routineOf = ({ routine }: ApprovalSubject) => (routine?.id === undefined ? {} : { routine: routine.id })

/** Limits the people whose roles are read for a question: a full room must not block the server. */
const MAX_LOOKED_UP = 64

/**
 * Resolves to names of present people who may allow the call (in a large room, not all), the requester and
 * admins first; undefined if nobody may. Rejects with `StorageError`.
 */
export async function findAnswerers(
  room: Room,
  asked: ApprovalSubject,
): Promise<readonly string[] | undefined> {
  const { requester, routine } = asked
  const present = room.present()
  const isHere = present.some(({ id }) => id === requester.id)
  // A requester who is moving to another server answers there; a routine's requester may be anywhere.
  const all = isHere || routine ? present : [...present, requester]
  // A person may have become an admin after joining.
  const rank = ({ id, admin }: Person): number => (id === requester.id ? 0 : admin ? 1 : 2)
  const names: string[] = []
  for (const person of all.toSorted((a, b) => rank(a) - rank(b)).slice(0, MAX_LOOKED_UP))
    if (mayDecide('once', asked, person, await room.roleOf(person))) names.push(person.name)
  return names.length === 0 && all.length <= MAX_LOOKED_UP ? undefined : names
}
