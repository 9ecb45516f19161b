import { skeleton } from '../../lib/text/skeleton.ts'
import { visibleLine } from '../../lib/text/visible-text.ts'
import { Refusal } from '../errors.ts'
import type { Person, PersonId } from '../people/person.ts'
import type { Peers } from '../peers.ts'
import type { Clock, PeopleStore } from '../ports.ts'
import type { OpenSessions } from './open-sessions.ts'

/**
 * Finds whom somebody means: people who have registered, by a former name that is kept for them, too, and guests who are there. Both throw `Refusal` in the same words
 * whether a name is free, reserved, or that of somebody who is gone. Both reject with `StorageError`.
 */
export interface FindPerson {
  called(name: string): Promise<Person>
  /** Somebody of before, whatever they are called now. */
  again(person: Pick<Person, 'id' | 'name' | 'guest'>): Promise<Person>
}

export function createFindPerson(
  people: Pick<PeopleStore, 'bySkeleton' | 'byId'>,
  sessions: Pick<OpenSessions, 'of' | 'guestCalled'>,
  clock: Clock,
  peers: Pick<Peers, 'find' | 'findGuest'>,
): FindPerson {
  const presentOne = (id: PersonId): Person | undefined => sessions.of(id)[0]?.person ?? peers.find(id)

  return {
    async called(word) {
      const name = word.replace(/^@/, '')
      const known = await people.bySkeleton(skeleton(name), clock.now())
      // Who is there brings the key that they came with.
      if (known) return presentOne(known.id) ?? known
      return sessions.guestCalled(name) ?? peers.findGuest(name) ?? refuse(name)
    },
    again: async ({ id, name, guest }) => (guest ? presentOne(id) : await people.byId(id)) ?? refuse(name),
  }
}

function refuse(name: string): never {
  throw new Refusal(
    `nobody can be reached as ${visibleLine(name.slice(0, 40))}; /who lists the people of a room`,
  )
}
