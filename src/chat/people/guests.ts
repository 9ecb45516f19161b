import { skeleton } from '../../base/text/names.ts'
import type { Peers } from '../peers.ts'
import { MAX_PERSON_NAME } from '../../words/names.ts'
import { keyOfGuest, type Fingerprint, type Person, type PersonId } from '../../words/person.ts'

/** Beyond this many, the guests who logged in the longest ago are forgotten. */
const MAX_GUESTS_REMEMBERED = 10_000

const NUMBER_CHARACTERS = 6

const guestId = (key: Fingerprint, name: string): PersonId => `guest:${key}:${name}` as PersonId

/** Names of guests, such as `alice-417`. Every server makes the same number from a key. */
export class Guests {
  /** By the skeleton of the name, the latest login last. Guests who left can still be banned. */
  readonly #guests = new Map<string, Person>()
  readonly #peers: Pick<Peers, 'findGuest'>

  constructor(peers: Pick<Peers, 'findGuest'>) {
    this.#peers = peers
  }

  async assign(asked: string, key: Fingerprint, isFree: (name: string) => Promise<boolean>): Promise<Person> {
    for (const name of guestNames(asked, key)) {
      if (!(await isFree(name))) continue
      // Checked after the wait, because another key may have got the name meanwhile.
      const holder = this.keyOf(name)
      if (holder !== undefined && holder !== key) continue
      const mark = skeleton(name)
      const guest = this.#guests.get(mark) ?? { id: guestId(key, name), name, admin: false, guest: true }
      this.#remember(mark, guest)
      return guest
    }
    throw new Error('unreachable: names for guests never run out')
  }

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

/** Yields names with 3, 4 and 5 digits of the key's number, then with the numbers that follow. */
function* guestNames(asked: string, key: Fingerprint): Generator<string, never> {
  const start = [...asked].slice(0, MAX_PERSON_NAME - NUMBER_CHARACTERS).join('')
  const number = numberOf(key)
  for (const digits of [3, 4]) yield `${start}-${fiveDigits(number).slice(0, digits)}`
  for (let next = number; ; next++) yield `${start}-${fiveDigits(next)}`
}

const fiveDigits = (number: number): string => String(number % 100_000).padStart(5, '0')

const numberOf = (key: Fingerprint): number =>
  [...key].reduce((sum, character) => (sum * 31 + character.charCodeAt(0)) % 1_000_003, 0)
