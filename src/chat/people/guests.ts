import { skeleton } from '../../lib/text/skeleton.ts'
import type { Loans } from './loans.ts'
import { MAX_PERSON_NAME } from './name-rules.ts'
import type { Fingerprint, Person, PersonId } from './person.ts'

/** A guest is known by the key that the name is lent to. */
const guestId = (key: Fingerprint, name: string): PersonId => `guest:${key}:${name}` as PersonId

/** The key of a guest with this id; undefined for somebody registered. No name has a colon in it. */
export const keyOfGuest = (id: PersonId): Fingerprint | undefined =>
  /^guest:(.+):[^:]*$/.exec(id)?.[1] as Fingerprint | undefined

/** Guests have names that are lent to their keys for as long as the process lives, such as `alice-2`, once on all servers of a database. */
export interface Guests {
  /** A guest for somebody who asked for this name: the one of before, if the key comes back. Rejects with `StorageError`. */
  lend(name: string, key: Fingerprint): Promise<Person>
  /** The key that a name is lent to. */
  holderOf(name: string): Fingerprint | undefined
}

/** A key that comes back gets the guest name it was lent before. Beyond this many, the oldest are forgotten. */
const MAX_GUESTS_REMEMBERED = 10_000

/** What a guest's name has kept free for its number: `-2` to `-99999`. */
const NUMBER_CHARACTERS = 6

/** What decides which names are lent. */
export interface GuestParts {
  /** Whether somebody has or keeps the name with this skeleton, whoever asks. */
  readonly isTaken: (skeleton: string, key: Fingerprint) => Promise<boolean>
  /** Which names nobody is lent now. */
  readonly isReserved: (name: string) => boolean
  /** What other servers have lent. */
  readonly loans: Loans
}

export function createGuests({ isTaken, isReserved, loans }: GuestParts): Guests {
  /** By the name that was asked for, and the key. */
  const guests = new Map<string, Person>()
  /** Who holds a lent name, by its skeleton. A table of its own, because every login asks. */
  const lent = new Map<string, Fingerprint>()

  const holderOf = (mark: string): Fingerprint | undefined => lent.get(mark) ?? loans.holderOf(mark)

  async function lendName(asked: string, key: Fingerprint): Promise<string> {
    const before = await loans.lentBefore(asked, key)
    if (before !== undefined && (await lendThis(before, asked, key))) return before
    for (let number = 2; ; number++) {
      const wanted = `${[...asked].slice(0, MAX_PERSON_NAME - NUMBER_CHARACTERS).join('')}-${number}`
      if (holderOf(skeleton(wanted)) === undefined && (await lendThis(wanted, asked, key))) return wanted
    }
  }

  /** False where it cannot be lent to this key. */
  async function lendThis(name: string, asked: string, key: Fingerprint): Promise<boolean> {
    const mark = skeleton(name)
    if (isReserved(name) || (await isTaken(mark, key))) return false
    // Somebody else may have been lent it meanwhile.
    if (lent.has(mark)) return false
    lent.set(mark, key)
    try {
      if (await loans.lend({ skeleton: mark, name, key, asked })) return true
    } catch (error) {
      lent.delete(mark)
      throw error
    }
    lent.delete(mark)
    return false
  }

  function forgetOldest(): void {
    const [oldest] = guests
    if (!oldest) return
    const [asked, person] = oldest
    guests.delete(asked)
    lent.delete(skeleton(person.name))
    loans.forget(skeleton(person.name))
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
    holderOf: (name) => holderOf(skeleton(name)),
  }
}
