import type { Person, PersonId } from './person.ts'

/** What changed of people since the server started, for those who are here. */
export interface LivePeople {
  /**
   * The same person, whose name and rights are those of now, whenever they are asked for. `isAdminByKey` tells whether this login is
   * an admin's, whatever the person is with other keys.
   */
  follow(person: Person, isAdminByKey: () => boolean): Person
  rename(id: PersonId, name: string): void
  setAdmin(id: PersonId, admin: boolean): void
}

export function createLivePeople(): LivePeople {
  const names = new Map<PersonId, string>()
  const admins = new Map<PersonId, boolean>()
  return {
    follow: (person, isAdminByKey) => ({
      ...person,
      get name() {
        return names.get(person.id) ?? person.name
      },
      get admin() {
        return isAdminByKey() || (admins.get(person.id) ?? person.admin)
      },
    }),
    rename: (id, name) => void names.set(id, name),
    setAdmin: (id, admin) => void admins.set(id, admin),
  }
}
