import { skeleton } from '../../lib/text/skeleton.ts'
import type { Fingerprint, Person, PersonId } from './person.ts'

/** A guest is known by the key that the name is lent to. */
const guestId = (key: Fingerprint, name: string): PersonId => `guest:${key}:${name}` as PersonId

/** The key of a guest with this id; undefined for somebody registered. No name has a colon in it. */
export const keyOfGuest = (id: PersonId): Fingerprint | undefined =>
  /^guest:(.+):[^:]*$/.exec(id)?.[1] as Fingerprint | undefined

/** Guests have names that are lent to their keys for as long as the process lives, such as `alice-2`. */
export interface Guests {
  /** A guest for somebody who asked for this name: the one of before, if the key comes back. Rejects with `StorageError`. */
  lend(name: string, key: Fingerprint): Promise<Person>
  /** The key that a name is lent to. */
  holderOf(name: string): Fingerprint | undefined
}

/** A key that comes back gets the guest name it was lent before. Beyond this many, the oldest are forgotten. */
const MAX_GUESTS_REMEMBERED = 10_000

/**
 * `isTaken` says of a name, by its skeleton, whether somebody has or keeps it, whoever asks; `isReserved` which names nobody is
 * lent now.
 */
export function createGuests(
  isTaken: (skeleton: string, key: Fingerprint) => Promise<boolean>,
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
      if (lent.has(mark) || isReserved(wanted) || (await isTaken(mark, key))) continue
      // Somebody else may have been lent it meanwhile.
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
      if (known && !(await isTaken(skeleton(known.name), key))) return known
      const free = await lendName(name, key)
      const person: Person = { id: guestId(key, free), name: free, admin: false, guest: true }
      guests.set(`${name} ${key}`, person)
      if (guests.size > MAX_GUESTS_REMEMBERED) forgetOldest()
      return person
    },
    holderOf: (name) => lent.get(skeleton(name)),
  }
}
