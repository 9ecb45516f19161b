// Who people are: which name belongs to which key, who is a guest, who is an admin. It must not know what a room is, nor how
// somebody logged in.
import { counted } from '../../lib/plural.ts'
import { skeleton } from '../../lib/text/skeleton.ts'
import { Refusal, StorageError } from '../errors.ts'
import { createGuests } from './guests.ts'
import type { Sanctions } from '../moderation/sanctions.ts'
import { isLike, problemWithName, RESERVED_NAMES } from './names.ts'
import type { Fingerprint, Person, PersonId } from './person.ts'
import type { Clock, LoginFacts, PeopleStore } from '../ports.ts'

/** Who may log in. `open`: any key, which is registered then; otherwise only keys that are known. */
export type AccessPolicy = 'open' | 'invite' | 'closed'

/** Characters of a user name that are looked at: more than a name may have, and few enough to cost nothing. */
const MAX_ASKED = 200

/** Who people are: their names, the keys that the names belong to, and the first admin. */
export interface People {
  /**
   * The person behind a proven key that asks for a name. A free name is registered to the key; a name that
   * belongs to another key, or that would be one too many for this key, gives a guest name such as `alice-2`, never the
   * name. Throws `Refusal`, for a banned key as for one that is not let in.
   */
  identify(name: string, key: Fingerprint, address: string): Promise<Person>
  /** The person as they are stored now. A guest is not stored and stays as they are. Rejects with `StorageError`. */
  current(person: Person): Promise<Person>
  /** Makes the person the first admin, once. Throws `Refusal`: wrong code, used code, guest. */
  claim(person: Person, code: string): Promise<void>
  /** The key that a guest's name is lent to now. */
  guestKey(name: string): Fingerprint | undefined
}

/** What the config says of people. */
export interface PeoplePolicy {
  readonly access: AccessPolicy
  /** Fingerprints of keys that are admins by config. */
  readonly admins: readonly string[]
  /** No person may have the name of a model. */
  readonly modelNames: readonly string[]
  /** How many names one key may register. */
  readonly namesPerKey: number
}

/** What decides who people are. */
export interface PeopleOptions {
  readonly store: PeopleStore
  readonly clock: Clock
  readonly nextId: () => string
  /** Gives the policy of now; asked at each use. */
  readonly policy: () => PeoplePolicy
  /** Absent once there is an admin. */
  readonly claimCode: string | undefined
  /** Who may not come in. */
  readonly sanctions: Pick<Sanctions, 'barsLogin'>
}

export function createPeople(options: PeopleOptions): People {
  const { store, policy } = options
  const guests = createGuests(store, isReserved)
  let claimCode = options.claimCode

  async function register(name: string, key: Fingerprint): Promise<Person | undefined> {
    const person: Person = { id: options.nextId() as PersonId, name, admin: isAdminKey(key), guest: false }
    const { namesPerKey } = policy()
    const done = await store.register(person, skeleton(name), key, options.clock.now(), namesPerKey)
    return done ? person : undefined
  }

  async function lend(name: string, key: Fingerprint, facts: LoginFacts): Promise<Person> {
    return { ...(await guests.lend(name, key)), why: whyGuest(name, facts, policy().namesPerKey) }
  }

  async function owned({ person, ownsName }: LoginFacts, key: Fingerprint): Promise<Person | undefined> {
    if (!person || !ownsName) return undefined
    if (!isAdminKey(key) || person.admin) return person
    // An admin by the config is one also while nothing can be stored.
    await store.setAdmin(person.id, true).catch(ignoreStorageError)
    return { ...person, admin: true }
  }

  function isReserved(name: string): boolean {
    return isLike(name, [...RESERVED_NAMES, ...policy().modelNames])
  }

  const isAdminKey = (key: Fingerprint): boolean => policy().admins.includes(key)

  return {
    async identify(asked, key, address) {
      const name = asked.slice(0, MAX_ASKED).normalize('NFC')
      const look = (): Promise<LoginFacts> => store.forLogin(skeleton(name), key)
      const facts = await look()
      // Asked once the store was read, so that it takes as long as for a key that nobody knows.
      if (options.sanctions.barsLogin({ key, holders: facts.holders, address })) throw new Refusal(BANNED)
      const known = await owned(facts, key)
      if (known) return known
      const problem = problemWithName(name)
      if (problem) throw new Refusal(`you cannot be called that: ${problem}. Try ssh NAME@…`)
      if (isReserved(name)) throw new Refusal(`the name ${name} is taken; choose another: ssh NAME@…`)
      const mayRegister = policy().access === 'open' || isAdminKey(key) || claimCode !== undefined
      if (!mayRegister)
        throw new Refusal('this server admits only people it knows; ask an admin to let you in')
      const holder = guests.holderOf(name)
      if (holder !== undefined && holder !== key) return await lend(name, key, facts)
      if (facts.person || facts.namesOfKey >= policy().namesPerKey) return await lend(name, key, facts)
      const registered = await register(name, key)
      if (registered) return registered
      const found = await look()
      return (await owned(found, key)) ?? (await lend(name, key, found))
    },
    async current(person) {
      return person.guest ? person : ((await store.byId(person.id)) ?? person)
    },
    guestKey: (name) => guests.holderOf(name),
    async claim(person, code) {
      if (claimCode === undefined || !sameText(code.trim().toUpperCase(), claimCode)) {
        throw new Refusal('that claim code is wrong or was used already; the server prints it when it starts')
      }
      if (person.guest) throw new Refusal('a guest cannot be admin; log in with a name that nobody has')
      if (!(await store.claimAdmin(person.id))) throw new Refusal('there is an admin already')
      claimCode = undefined
    },
  }
}

function whyGuest(name: string, { person, holders }: LoginFacts, namesPerKey: number): string {
  if (person) return `the name ${name} belongs to another key`
  if (holders.length >= namesPerKey)
    return `your key has ${counted(holders.length, 'name')} and may have no more (names_per_key)`
  return `somebody else has the name ${name}, or one that looks like it`
}

/** For the log: the client learns nothing. */
const BANNED = 'this key, its owner or its network is banned'

function ignoreStorageError(error: unknown): void {
  if (!(error instanceof StorageError)) throw error
}

/** Compares in time that does not depend on where the texts differ. */
function sameText(a: string, b: string): boolean {
  let difference = a.length ^ b.length
  for (let i = 0; i < b.length; i++) difference |= (a.charCodeAt(i) || 0) ^ b.charCodeAt(i)
  return difference === 0
}
