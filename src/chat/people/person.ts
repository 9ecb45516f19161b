import type { Brand } from '../../lib/basics.ts'
import { skeleton } from '../../lib/text/names.ts'
import type { Peers } from '../peers.ts'
import { MAX_PERSON_NAME } from './names.ts'

export type PersonId = Brand<'PersonId'>

/** As `ssh-keygen -lf` prints it: `SHA256:` and 43 characters of base64. */
export type Fingerprint = Brand<'Fingerprint'>

/** Somebody known by a key. A guest is not stored. */
export interface Person {
  readonly id: PersonId
  /** Can change while they are here. */
  readonly name: string
  /** True for a stored admin, or for the key of an admin by the config. Can change while they are here. */
  readonly admin: boolean
  readonly guest: boolean
  /** Why a guest has no name of their own, as a sentence without its full stop. */
  readonly why?: string
  /** What they must know of this login, as a sentence without its full stop. */
  readonly notice?: string
  readonly login?: Login
}

/** Limits apply to the key and the network as to the person. */
export interface Login {
  readonly key: Fingerprint
  /** An IPv4 address or an IPv6 /64. */
  readonly network: string
  /** The end of the certificate that let the key in, in milliseconds since the epoch. */
  readonly certifiedUntil?: number
  readonly token?: TokenLogin
}

export interface TokenLogin {
  readonly id: number
  readonly until: number
  /** The only rooms that the token reaches; absent for all. */
  readonly rooms?: ReadonlySet<string>
}

/** Adds a login. A spread would freeze the name and the rights, which are getters. */
export const withLogin = (person: Person, login: Login): Person => ({
  ...person,
  get name() {
    return person.name
  },
  get admin() {
    return person.admin
  },
  login,
})

export type Role = 'admin' | 'owner' | 'op' | 'member' | 'guest'

/** Beyond this many, the guests who logged in the longest ago are forgotten. */
const MAX_GUESTS_REMEMBERED = 10_000

const NUMBER_CHARACTERS = 6

const guestId = (key: Fingerprint, name: string): PersonId => `guest:${key}:${name}` as PersonId

/** Undefined for a registered person. No name contains a colon. */
export const keyOfGuest = (id: PersonId): Fingerprint | undefined =>
  /^guest:(.+):[^:]*$/.exec(id)?.[1] as Fingerprint | undefined

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
    throw new Error('unreachable: the names of guests have no end')
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
