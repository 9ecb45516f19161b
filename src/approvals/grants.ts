import { Refusal } from '../chat/errors.ts'
import type { Person } from '../chat/people/person.ts'
import type { Clock } from '../chat/ports.ts'
import { onlyOnce, ROOM_GRANT_MS } from './policy.ts'
import type { AskedFor, GrantStore } from './ports.ts'

/** The standing permissions of all rooms. All methods reject with `StorageError`. */
export interface Grants {
  /** Whether a grant allows this. What must be asked each time is covered by none. */
  cover(asked: AskedFor): Promise<boolean>
  /** Stores a grant for what was asked, given by a person. */
  give(by: Pick<Person, 'name'>, verdict: 'room' | 'always', asked: AskedFor): Promise<void>
  /** Rejects with `Refusal` if the requester can have no more grants in this room. */
  refuseIfFull(asked: AskedFor): Promise<void>
}

/** Grants that one person may have in one room. */
const MAX_GRANTS_PER_PERSON = 100

export const createGrants = (store: GrantStore, clock: Clock): Grants => ({
  async cover(asked) {
    if (onlyOnce(asked)) return false
    const { requester, room, tool, target } = asked
    return (await store.find({ person: requester.id, room, tool, target, at: clock.now() })) !== undefined
  },
  async give(by, verdict, { requester, room, tool, target }) {
    const at = clock.now()
    const until = verdict === 'room' ? { until: at + ROOM_GRANT_MS } : {}
    const who = { person: requester.id, name: requester.name, by: by.name }
    await store.put({ room, tool, target, at, ...who, ...until })
  },
  async refuseIfFull({ requester: { id, name }, room }) {
    const held = await store.list(room, clock.now())
    if (held.filter((one) => one.person === id).length < MAX_GRANTS_PER_PERSON) return
    throw new Refusal(
      `${name} has ${MAX_GRANTS_PER_PERSON} permissions in ${room} already; revoke some (perms), or allow it once`,
    )
  },
})
