import type { Person, Role } from '../../chat/people/person.ts'
import type { Room } from '../../chat/room.ts'
import type { Choices, RoomStatus } from './status.ts'

/** What people can use in one room, found out once for all of a role. */
export interface RoleChoices {
  /** Finds out, if nobody of this role came in just before, what this person can use. Never rejects. */
  admit(person: Person, role: Role): Promise<void>
  /** As far as it is known; the same object as long as nothing in it changes. */
  of(role: Role): Choices
  /** Finds out anew, for the roles of all who came in. Never rejects: what was known stays where that fails. */
  update(): Promise<void>
}

/** How long the choices of a role are reused, in milliseconds. */
const FRESH_MS = 5_000

const NOTHING: Choices = { models: [], scope: '', tools: 0 }

interface KnownChoices {
  readonly choices: Choices
  readonly foundAt: number
  /** Somebody of this role. */
  readonly person: Person
}

const isSame = (one: Choices, other: Choices): boolean =>
  one.scope === other.scope && one.tools === other.tools && one.models.join() === other.models.join()

/** `now` gives milliseconds that never go back. */
export function createRoleChoices(room: Room, status: RoomStatus, now: () => number): RoleChoices {
  const known = new Map<Role, KnownChoices>()

  async function findOut(role: Role, person: Person): Promise<void> {
    const before = known.get(role)?.choices ?? NOTHING
    // Those who come in meanwhile need not ask again.
    known.set(role, { choices: before, foundAt: now(), person })
    const found = await status.choices(room, person).catch(() => before)
    const choices = isSame(found, before) ? before : found
    known.set(role, { choices, foundAt: now(), person })
  }

  return {
    async admit(person, role) {
      const { foundAt } = known.get(role) ?? { foundAt: -Infinity }
      if (now() - foundAt >= FRESH_MS) await findOut(role, person)
    },
    of: (role) => known.get(role)?.choices ?? NOTHING,
    async update() {
      await Promise.all([...known].map(([role, { person }]) => findOut(role, person)))
    },
  }
}
