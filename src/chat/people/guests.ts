import { skeleton } from '../../lib/text/skeleton.ts'
import type { Peers } from '../peers.ts'
import { MAX_PERSON_NAME } from './name-rules.ts'
import type { Fingerprint, Person, PersonId } from './person.ts'

/** Beyond this many guests, those who logged in the longest ago are forgotten. */
const MAX_GUESTS_REMEMBERED = 10_000

/** Characters that the number of a guest needs: `-00000`. */
const NUMBER_CHARACTERS = 6

const guestId = (key: Fingerprint, name: string): PersonId => `guest:${key}:${name}` as PersonId

/** The key of a guest with this id; undefined for a registered person. No name contains a colon. */
export const keyOfGuest = (id: PersonId): Fingerprint | undefined =>
  /^guest:(.+):[^:]*$/.exec(id)?.[1] as Fingerprint | undefined

/** Decides which names a guest may have. */
export interface GuestRules {
  /** Resolves to true if a registered person has or keeps the name with this skeleton. */
  readonly isTaken: (skeleton: string, key: Fingerprint) => Promise<boolean>
  readonly isReserved: (name: string) => boolean
}

/** Names of guests, such as `alice-417`. The number comes from the key, so other servers give the same one. */
export class Guests {
  /** By the skeleton of the name, the latest login last. It remembers guests who left, so that they can be banned. */
  readonly #guests = new Map<string, Person>()
  readonly #rules: GuestRules
  readonly #peers: Pick<Peers, 'findGuest'>

  constructor(rules: GuestRules, peers: Pick<Peers, 'findGuest'>) {
    this.#rules = rules
    this.#peers = peers
  }

  /** A guest for a key that asked for this name. Rejects with `StorageError`. */
  async assign(asked: string, key: Fingerprint): Promise<Person> {
    for (const name of guestNames(asked, key)) {
      const mark = skeleton(name)
      if (this.#rules.isReserved(name) || (await this.#rules.isTaken(mark, key))) continue
      // Asked after the wait, because another key may have been given the name meanwhile.
      const holder = this.keyOf(name)
      if (holder !== undefined && holder !== key) continue
      const guest = this.#guests.get(mark) ?? { id: guestId(key, name), name, admin: false, guest: true }
      this.#remember(mark, guest)
      return guest
    }
    throw new Error('unreachable: the names of guests have no end')
  }

  /** The key of the guest with this name, here or on another server. */
  keyOf(name: string): Fingerprint | undefined {
    const guest = this.#guests.get(skeleton(name)) ?? this.#peers.findGuest(name)
    return guest && keyOfGuest(guest.id)
  }

  #remember(mark: string, guest: Person): void {
    this.#guests.delete(mark)
    this.#guests.set(mark, guest)
    if (this.#guests.size <= MAX_GUESTS_REMEMBERED) return
    const [oldest] = this.#guests.keys()
    this.#guests.delete(oldest!)
  }
}

/** The names to try in turn: with 3, 4 and 5 digits of the key, then with the numbers after these. */
function* guestNames(asked: string, key: Fingerprint): Generator<string, never> {
  const start = [...asked].slice(0, MAX_PERSON_NAME - NUMBER_CHARACTERS).join('')
  const number = numberOf(key)
  for (const digits of [3, 4]) yield `${start}-${fiveDigits(number).slice(0, digits)}`
  for (let next = number; ; next++) yield `${start}-${fiveDigits(next)}`
}

const fiveDigits = (number: number): string => String(number % 100_000).padStart(5, '0')

/** The fingerprint's text as a number, the same on every server. */
const numberOf = (key: Fingerprint): number =>
  [...key].reduce((sum, character) => (sum * 31 + character.charCodeAt(0)) % 1_000_003, 0)
