import type { Person, Role } from '../chat/person.ts'
import type { Room } from '../chat/room.ts'
import type { Offers, RoomStatus } from './room-status.ts'

/** What people are offered in one room, found out once for all of a role. */
export interface RoomOffers {
  /**
   * The role of somebody who comes in. Afterwards what that role is offered is known, unless it cannot be found out.
   * Never rejects: where the store does not say, everybody has the least that they can have.
   */
  admit(person: Person): Promise<Role>
  /** As far as it is known. */
  of(role: Role): Offers
  /** Finds out anew, for the roles of all who came in. Never rejects: what was known stays where that fails. */
  update(): Promise<void>
}

/** For so long, in milliseconds, people who come in are offered what those before them were. */
const FRESH_MS = 5_000

const NOTHING: Offers = { models: [], scope: '', tools: 0 }

interface KnownOffers {
  readonly offers: Offers
  readonly foundAt: number
  /** Somebody of this role. */
  readonly person: Person
}

/** `now` gives milliseconds that never go back. */
export function createRoomOffers(room: Room, status: RoomStatus, now: () => number): RoomOffers {
  const known = new Map<Role, KnownOffers>()

  async function findOut(role: Role, person: Person): Promise<void> {
    const before = known.get(role)?.offers ?? NOTHING
    // Those who come in meanwhile need not ask again.
    known.set(role, { offers: before, foundAt: now(), person })
    const offers = await status.offers(room, person).catch(() => before)
    known.set(role, { offers, foundAt: now(), person })
  }

  return {
    async admit(person) {
      const role = await room.roleOf(person).catch(() => (person.guest ? 'guest' : 'member'))
      const { foundAt } = known.get(role) ?? { foundAt: -Infinity }
      if (now() - foundAt >= FRESH_MS) await findOut(role, person)
      return role
    },
    of: (role) => known.get(role)?.offers ?? NOTHING,
    async update() {
      await Promise.all([...known].map(([role, { person }]) => findOut(role, person)))
    },
  }
}
