import type { Clock } from '../../base/environment.ts'
import { skeleton } from '../../base/text/names.ts'
import type { Zone } from '../../base/zone.ts'
import { visibleLine } from '../../base/text/visible-text.ts'
import { Refusal } from '../../words/errors.ts'
import type { Person, PersonId } from '../../words/person.ts'
import type { Peers } from '../peers.ts'
import type { PeopleStore } from '../ports.ts'
import type { Sender } from './ports.ts'

export interface PersonalScreen {
  readonly person: Person
  /** The zone of the times in its messages; UTC if absent. */
  readonly zone?: () => Zone
  print(text: string, role?: 'error'): void
  /** With `onRead`, the message is never skipped; called once the client read it, unless it disconnects. */
  message(message: PersonalMessage, onRead?: () => void): void
  bell(): void
}

export interface PersonalMessage {
  /** `bob -> you`, `you -> bob`. Names have no blanks, so no line of a room begins like that. */
  readonly head: string
  readonly text: string
  readonly from: Pick<Sender, 'name' | 'guest'>
  readonly at: number
  readonly isOwn?: true
  /** Cut to one row on screens that have rows. */
  readonly isOneRow?: true
}

export class OpenSessions {
  readonly #byPerson = new Map<PersonId, Set<PersonalScreen>>()

  add(screen: PersonalScreen): () => void {
    const { id } = screen.person
    const screens = this.#byPerson.get(id) ?? new Set()
    this.#byPerson.set(id, screens.add(screen))
    return () => {
      screens.delete(screen)
      if (screens.size === 0 && this.#byPerson.get(id) === screens) this.#byPerson.delete(id)
    }
  }

  of(person: PersonId): readonly PersonalScreen[] {
    return [...(this.#byPerson.get(person) ?? [])]
  }

  /** A guest who is here under a name that looks the same; guests are not stored. */
  guestCalled(name: string): Person | undefined {
    const wanted = skeleton(name)
    return this.guests().find((person) => skeleton(person.name) === wanted)
  }

  guests(): readonly Person[] {
    const people = [...this.#byPerson.values()].flatMap(([screen]) => screen?.person ?? [])
    return people.filter(({ guest }) => guest)
  }
}

/**
 * Finds registered people, also by a kept former name, and guests who are here. Throws `Refusal` in the same
 * words for a name that is free, reserved or gone. Rejects with `StorageError`.
 */
export type FindPerson = ReturnType<typeof createFindPerson>

export function createFindPerson(
  people: Pick<PeopleStore, 'bySkeleton' | 'byId' | 'beginning'>,
  sessions: OpenSessions,
  clock: Clock,
  peers: Pick<Peers, 'find' | 'findGuest'>,
) {
  const presentOne = (id: PersonId): Person | undefined => sessions.of(id)[0]?.person ?? peers.find(id)

  return {
    async called(word: string): Promise<Person> {
      const name = word.replace(/^@/, '')
      const known = await people.bySkeleton(skeleton(name), clock.now())
      // A person who is present has the key of their login.
      if (known) return presentOne(known.id) ?? known
      return sessions.guestCalled(name) ?? peers.findGuest(name) ?? refuse(name)
    },
    /** Registered people whose names begin like this, at most 200, and all guests of this server. */
    beginning: async (word: string): Promise<readonly Person[]> => [
      ...(await people.beginning(skeleton(word), MAX_FOUND)),
      ...sessions.guests(),
    ],
    again: async ({ id, name, guest }: Pick<Person, 'id' | 'name' | 'guest'>): Promise<Person> =>
      (guest ? presentOne(id) : await people.byId(id)) ?? refuse(name),
  }
}

/** No screen shows more. */
const MAX_FOUND = 200

function refuse(name: string): never {
  throw new Refusal(
    `there is nobody called ${visibleLine(name.slice(0, 40))}; /who lists the people of a room`,
  )
}
