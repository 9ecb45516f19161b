import type { Person, Role } from '../../chat/people/person.ts'
import type { Room } from '../../chat/room.ts'
import type { Offers, RoomStatus } from './status.ts'

/** What people are offered in one room, found out once for all of a role. */
export interface RoomOffers {
  /** Finds out, if nobody of this role came in just before, what this person is offered. Never rejects. */
  admit(person: Person, role: Role): Promise<void>
  /** As far as it is known; the same object as long as nothing in it changes. */
  of(role: Role): Offers
  /** Finds out anew, for the roles of all who came in. Never rejects: what was known stays where that fails. */
  update(): Promise<void>
}

/** How long the offers of a role are reused, in milliseconds. */
const FRESH_MS = 5_000

const NOTHING: Offers = { models: [], scope: '', tools: 0 }

interface KnownOffers {
  readonly offers: Offers
  readonly foundAt: number
  /** Somebody of this role. */
  readonly person: Person
}

const isSame = (one: Offers, other: Offers): boolean =>
  one.scope === other.scope && one.tools === other.tools && one.models.join() === other.models.join()

/** `now` gives milliseconds that never go back. */
export function createRoomOffers(room: Room, status: RoomStatus, now: () => number): RoomOffers {
  const known = new Map<Role, KnownOffers>()

  async function findOut(role: Role, person: Person): Promise<void> {
    const before = known.get(role)?.offers ?? NOTHING
    // Those who come in meanwhile need not ask again.
    known.set(role, { offers: before, foundAt: now(), person })
    const found = await status.offers(room, person).catch(() => before)
    const offers = isSame(found, before) ? before : found
    known.set(role, { offers, foundAt: now(), person })
  }

  return {
    async admit(person, role) {
      const { foundAt } = known.get(role) ?? { foundAt: -Infinity }
      if (now() - foundAt >= FRESH_MS) await findOut(role, person)
    },
    of: (role) => known.get(role)?.offers ?? NOTHING,
    async update() {
      await Promise.all([...known].map(([role, { person }]) => findOut(role, person)))
    },
  }
}
