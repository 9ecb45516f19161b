import { skeleton } from '../../lib/text/skeleton.ts'
import type { Person, PersonId } from '../people/person.ts'
import type { PersonalMessage } from './personal-message.ts'

/** One open session, as far as something can be said to its person alone. Nothing here throws. */
export interface PersonalScreen {
  readonly person: Person
  print(text: string, role?: 'error'): void
  /**
   * Shows a message that one person wrote to another one. With `onRead` it is not skipped; that is called once the client has
   * read it, and never if it goes away first.
   */
  message(message: PersonalMessage, onRead?: () => void): void
  /** Rings, where the terminal can. */
  bell(): void
}

/** The sessions of all who are there now. */
export interface OpenSessions {
  /** Returns the function that takes the session away again. */
  add(screen: PersonalScreen): () => void
  of(person: PersonId): readonly PersonalScreen[]
  /** A guest who is there: guests are stored nowhere. A name that looks the same counts as theirs. */
  guestCalled(name: string): Person | undefined
}

export function createOpenSessions(): OpenSessions {
  const byPerson = new Map<PersonId, Set<PersonalScreen>>()
  const guests = new Map<string, Person>()
  return {
    add(screen) {
      const { id, guest, name } = screen.person
      const screens = byPerson.get(id) ?? new Set()
      byPerson.set(id, screens.add(screen))
      if (guest) guests.set(skeleton(name), screen.person)
      return () => {
        screens.delete(screen)
        if (screens.size > 0 || byPerson.get(id) !== screens) return
        byPerson.delete(id)
        if (guest) guests.delete(skeleton(name))
      }
    },
    of: (person) => [...(byPerson.get(person) ?? [])],
    guestCalled: (name) => guests.get(skeleton(name)),
  }
}
