import type { Fingerprint, Person, PersonId } from '../../../chat/person.ts'
import type { PeopleStore } from '../../../chat/ports.ts'
import { missing, taken } from './table.ts'

interface Known {
  person: Person
  readonly keys: Map<Fingerprint, number>
}

/** People and their keys in maps. */
export function createMemoryPeople(): PeopleStore {
  const people = new Map<PersonId, Known>()
  const bySkeleton = new Map<string, PersonId>()
  const find = (id: PersonId | undefined): Person | undefined => id && people.get(id)?.person
  const admins = (): boolean => [...people.values()].some((known) => known.person.admin)
  const setAdmin = (id: PersonId, admin: boolean): boolean => {
    const known = people.get(id)
    if (known) known.person = { ...known.person, admin }
    return known !== undefined
  }
  return {
    bySkeleton: async (skeleton) => find(bySkeleton.get(skeleton)),
    byId: async (id) => find(id),
    keysOf: async (id) =>
      [...(people.get(id)?.keys ?? [])].toSorted(([, a], [, b]) => a - b).map(([key]) => key),
    async register(person, skeleton, key, at) {
      if (bySkeleton.has(skeleton)) return false
      if (people.has(person.id)) throw taken(`person ${person.id}`)
      bySkeleton.set(skeleton, person.id)
      people.set(person.id, { person: { ...person, guest: false }, keys: new Map([[key, at]]) })
      return true
    },
    async addKey(id, key, at) {
      const known = people.get(id)
      if (!known) throw missing(`person ${id}`)
      if (!known.keys.has(key)) known.keys.set(key, at)
    },
    setAdmin: async (id, admin) => void setAdmin(id, admin),
    hasAdmin: async () => admins(),
    claimAdmin: async (id) => !admins() && setAdmin(id, true),
  }
}
