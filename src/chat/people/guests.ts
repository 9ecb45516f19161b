import { skeleton } from '../../lib/text/skeleton.ts'
import type { Fingerprint, Person, PersonId } from './person.ts'
import type { PeopleStore } from '../ports.ts'

/** Guests have names that are lent to their keys for as long as the process lives, such as `alice-2`. */
export interface Guests {
  /** A guest for somebody who asked for this name: the one of before, if the key comes back. Rejects with `StorageError`. */
  lend(name: string, key: Fingerprint): Promise<Person>
  /** The key that a name is lent to. */
  holderOf(name: string): Fingerprint | undefined
}

/** A key that comes back gets the guest name it was lent before. Beyond this many, the oldest are forgotten. */
const MAX_GUESTS_REMEMBERED = 10_000

/** `isReserved` tells which names nobody is lent now. */
export function createGuests(
  store: Pick<PeopleStore, 'bySkeleton'>,
  isReserved: (name: string) => boolean,
): Guests {
  /** By the name that was asked for, and the key. */
  const guests = new Map<string, Person>()
  /** Who holds a lent name, by its skeleton. A table of its own, because every login asks. */
  const lent = new Map<string, Fingerprint>()

  async function lendName(name: string, key: Fingerprint): Promise<string> {
    for (let number = 2; ; number++) {
      const wanted = `${[...name].slice(0, 18).join('')}-${number}`
      const mark = skeleton(wanted)
      if (lent.has(mark) || isReserved(wanted) || (await store.bySkeleton(mark))) continue
      // Somebody else may have been lent it while the store was asked.
      if (lent.has(mark)) continue
      lent.set(mark, key)
      return wanted
    }
  }

  function forgetOldest(): void {
    const [oldest] = guests
    if (!oldest) return
    const [asked, person] = oldest
    guests.delete(asked)
    lent.delete(skeleton(person.name))
  }

  return {
    async lend(name, key) {
      const known = guests.get(`${name} ${key}`)
      if (known && !(await store.bySkeleton(skeleton(known.name)))) return known
      const free = await lendName(name, key)
      const person: Person = { id: `guest:${key}:${free}` as PersonId, name: free, admin: false, guest: true }
      guests.set(`${name} ${key}`, person)
      if (guests.size > MAX_GUESTS_REMEMBERED) forgetOldest()
      return person
    },
    holderOf: (name) => lent.get(skeleton(name)),
  }
}
