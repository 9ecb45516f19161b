import type { RoomName } from './entry.ts'
import { Refusal } from './errors.ts'
import type { Sanctions } from './moderation/sanctions.ts'
import type { Person, Role } from './people/person.ts'
import type { PeopleStore, RoomStore } from './ports.ts'

/** What says who somebody is in a room. */
export interface RoleStores {
  readonly rooms: Pick<RoomStore, 'membership'>
  readonly people: Pick<PeopleStore, 'byId'>
}

/** What a person may do in a room. Rejects with `StorageError`. */
export async function roleIn(room: RoomName, person: Person, { rooms, people }: RoleStores): Promise<Role> {
  if (person.guest) return 'guest'
  // The store is asked each time, because a person may become an admin while their session lasts; the config's are by their login.
  const [now, membership] = await Promise.all([people.byId(person.id), rooms.membership(room, person.id)])
  if (person.admin || now?.admin) return 'admin'
  return membership === 'owner' || membership === 'op' ? membership : 'member'
}

/** No ban holds the owner and admins; nobody comes into a room that is being deleted. Rejects with `Refusal`. */
export async function refuseBanned(
  why: string,
  room: RoomName,
  person: Person,
  parts: RoleStores & { readonly sanctions: Pick<Sanctions, 'isGone'> },
): Promise<void> {
  const role = parts.sanctions.isGone(room) ? 'guest' : await roleIn(room, person, parts)
  if (role !== 'admin' && role !== 'owner') throw new Refusal(why)
}

/** Admins come into a full room, too. Rejects with `Refusal`. */
export async function refuseLate(
  limit: number,
  room: RoomName,
  person: Person,
  stores: RoleStores,
): Promise<void> {
  if ((await roleIn(room, person, stores)) === 'admin') return
  throw new Refusal(`${room} is full: ${limit} of ${limit} people are in it; try again later`)
}
