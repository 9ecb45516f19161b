import type { Person } from '../chat/people/person.ts'
import type { Room } from '../chat/room.ts'
import type { PermissionRequest } from '../tools/context.ts'
import { mayDecide } from './policy.ts'

/** Roles are looked up for at most so many of the people present: a full room must not hold up the server. */
const MAX_LOOKED_UP = 64

/**
 * The names of the people present who may allow it, the requester and admins first; in a large room not all
 * of them. Undefined where it is certain that nobody present may. Rejects with `StorageError`.
 */
export async function answerersIn(
  room: Room,
  asked: PermissionRequest,
): Promise<readonly string[] | undefined> {
  const present = withRequester(room, asked).toSorted((a, b) => rank(a, asked) - rank(b, asked))
  const names: string[] = []
  for (const person of present.slice(0, MAX_LOOKED_UP))
    if (mayDecide('once', asked, person, await room.roleOf(person))) names.push(person.name)
  return names.length === 0 && present.length <= MAX_LOOKED_UP ? undefined : names
}

/** Whoever is on their way to another server answers there. */
function withRequester(room: Room, { requester }: PermissionRequest): readonly Person[] {
  const present = room.present()
  return present.some(({ id }) => id === requester.id) ? present : [...present, requester]
}

/** A person may have become an admin since they came, so the others are looked at as well. */
function rank(person: Person, { requester }: PermissionRequest): number {
  if (person.id === requester.id) return 0
  return person.admin ? 1 : 2
}
