import { counted } from '../../lib/plural.ts'
import { skeleton } from '../../lib/text/skeleton.ts'
import { InviteRefusal, NameRefusal, Refusal } from '../errors.ts'
import type { Clock, LoginFacts, PeopleStore } from '../ports.ts'
import type { Guests } from './guests.ts'
import type { Invites } from './invites.ts'
import type { Fingerprint, Person } from './person.ts'

/** How a key that nobody has gets a name, of its own or a guest's. `known` is what is stored of the name and the key. */
export interface Register {
  /** A key that may register by itself; a guest where somebody else has the name. Throws `NameRefusal`. */
  byKey(name: string, key: Fingerprint, known: LoginFacts): Promise<Person>
  /** A key that brings an invite code. Throws `InviteRefusal`. */
  withCode(name: string, key: Fingerprint, code: string, known: LoginFacts): Promise<Person>
  /** A trusted certificate for a free name, which is registered without a key. Throws `NameRefusal`, and `Refusal` where somebody has it. */
  certified(name: string, key: Fingerprint, known: LoginFacts): Promise<Person>
}

/** What newcomers are registered with. */
export interface RegisterParts {
  readonly store: Pick<PeopleStore, 'register'>
  readonly invites: Pick<Invites, 'find' | 'redeem'>
  readonly guests: Guests
  readonly clock: Clock
  readonly newPerson: (name: string) => Person
  readonly policy: () => { readonly namesPerKey: number }
  /** Why nobody with this key can be given the name, whether or not somebody has it. */
  readonly whyNotFree: (name: string, key: Fingerprint) => string | undefined
  /** Whoever has the name now, and the same if the key is theirs. */
  readonly bearer: (
    name: string,
    key: Fingerprint,
  ) => Promise<{ readonly known: LoginFacts; readonly person?: Person }>
}

export function createRegister(parts: RegisterParts): Register {
  const { store, invites, guests, clock, newPerson, policy, whyNotFree, bearer } = parts

  const put = (person: Person, key?: Fingerprint): Promise<boolean> =>
    store.register(person, skeleton(person.name), key, clock.now(), policy().namesPerKey)

  async function asGuest(name: string, key: Fingerprint, known: LoginFacts): Promise<Person> {
    return { ...(await guests.assign(name, key)), why: whyGuest(name, known, policy().namesPerKey) }
  }

  const hasTooMany = ({ namesOfKey }: LoginFacts): boolean => namesOfKey >= policy().namesPerKey

  return {
    async byKey(name, key, known) {
      const problem = whyNotFree(name, key)
      const isGuests = guests.keyOf(name) !== undefined
      if (problem && !isGuests) throw new NameRefusal(problem)
      if (problem || known.person || hasTooMany(known)) return await asGuest(name, key, known)
      const person = newPerson(name)
      if (await put(person, key)) return person
      const now = await bearer(name, key)
      return now.person ?? (await asGuest(name, key, now.known))
    },
    async withCode(name, key, code, known) {
      if (!(await invites.find(code))) throw wrongCode()
      const problem = whyNotFree(name, key)
      if (problem) throw new InviteRefusal('no-name', problem)
      if (hasTooMany(known))
        throw new InviteRefusal('no-name', `this key has ${counted(known.namesOfKey, 'name')} already`)
      const person = newPerson(name)
      const outcome = await invites.redeem(code, {
        ...{ person, skeleton: skeleton(name), key, at: clock.now() },
        most: policy().namesPerKey,
      })
      // Of two who come with the same name, key and code at once, the second finds what the first did.
      const registered = (await bearer(name, key)).person
      if (registered) return registered
      if (outcome === 'no-code') throw wrongCode()
      throw new InviteRefusal('no-name', taken(name))
    },
    async certified(name, key, known) {
      if (known.person) throw new Refusal(taken(name))
      const problem = whyNotFree(name, key)
      if (problem) throw new NameRefusal(problem)
      const person = newPerson(name)
      // Of two who come with the same certificate at once, the second finds what the first did.
      const now = (await put(person)) ? { person, filedName: name } : (await bearer(name, key)).known
      if (!now.person || now.filedName !== name) throw new Refusal(taken(name))
      return now.person
    },
  }
}

function whyGuest(name: string, { person, isWaiting, namesOfKey }: LoginFacts, namesPerKey: number): string {
  if (isWaiting) return `the name ${name} has other keys, and yours was not taken into that account`
  if (person) return `the name ${name} belongs to another key`
  if (namesOfKey >= namesPerKey)
    return `your key has ${counted(namesOfKey, 'name')} and may have no more (names_per_key)`
  return `somebody else has the name ${name}, or one that looks like it`
}

const wrongCode = (): InviteRefusal => new InviteRefusal('wrong-code', 'the invite code is not valid')
const taken = (name: string): string => `the name ${name} is taken; choose another`
