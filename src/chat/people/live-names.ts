import type { Person, PersonId } from './person.ts'

/** The names of people who changed theirs since the server started. */
export interface LiveNames {
  /** The same person, whose name is that of now, whenever it is asked. */
  follow(person: Person): Person
  set(id: PersonId, name: string): void
}

export function createLiveNames(): LiveNames {
  const names = new Map<PersonId, string>()
  return {
    follow: (person) => ({
      ...person,
      get name() {
        return names.get(person.id) ?? person.name
      },
    }),
    set: (id, name) => void names.set(id, name),
  }
}
