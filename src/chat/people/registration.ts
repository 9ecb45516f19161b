import { DAY_MS, counted, countedAre } from '../../base/amounts.ts'
import type { Clock, Log, MonotonicClock } from '../../base/environment.ts'
import { skeleton } from '../../base/text/names.ts'
import { InviteRefusal, NameRefusal, Refusal } from '../../words/errors.ts'
import { createQuotaLedger } from '../limits.ts'
import type { Sanctions } from '../moderation/sanctions.ts'
import type { Peers } from '../peers.ts'
import type { LoginFacts, PeopleStore } from '../ports.ts'
import type { Invites } from './credentials.ts'
import { Guests } from './guests.ts'
import { isLike, problemWithName, whyReserved } from '../../words/names.ts'
import type { Fingerprint, Person, PersonId } from '../../words/person.ts'
import type { KeyStore, NameStore } from './ports.ts'

/** `open` registers any key; `invite` keys that bring a code; `closed` none. */
export type AccessPolicy = 'open' | 'invite' | 'closed'

export interface PeoplePolicy {
  readonly access: AccessPolicy
  /** Fingerprints. A login with such a key has admin rights, for that login alone. */
  readonly admins: readonly string[]
  readonly modelNames: readonly string[]
  readonly namesPerKey: number
  readonly keptNames: number
  readonly renamesPerDay: number
}

export interface PeopleOptions {
  readonly stores: {
    readonly people: PeopleStore
    readonly names: NameStore
    readonly keys: Pick<KeyStore, 'prove'>
  }
  readonly invites: Pick<Invites, 'find' | 'redeem'>
  readonly log: Log
  readonly clock: Clock & MonotonicClock
  readonly nextId: () => string
  readonly policy: () => PeoplePolicy
  /** The operator's one-time code for the first admin. */
  readonly claimCode: string | undefined
  readonly sanctions: Pick<Sanctions, 'barsLogin' | 'whyOut'>
  readonly peers: Pick<Peers, 'findGuest' | 'serversOf'>
}

const KEPT_DAYS = 30

/** Gives keys their names, at the first login and later. All methods reject with `StorageError`, too. */
export class Registration {
  readonly guests: Guests
  readonly #options: PeopleOptions
  readonly #renames: ReturnType<typeof createQuotaLedger>

  constructor(options: PeopleOptions) {
    this.#options = options
    this.#renames = createQuotaLedger(options.clock, options.peers.serversOf)
    this.guests = new Guests(options.peers)
  }

  factsOf(name: string, key: Fingerprint): Promise<LoginFacts> {
    const { stores, clock } = this.#options
    return stores.people.forLogin(skeleton(name), key, clock.now())
  }

  isAdminKey(key: Fingerprint): boolean {
    return this.#options.policy().admins.includes(key)
  }

  /** Registers the name, or makes a guest if somebody else has it. Throws `NameRefusal`. */
  async byKey(name: string, key: Fingerprint, known: LoginFacts): Promise<Person> {
    const problem = this.#whyNotFree(name, key)
    const isGuests = this.guests.keyOf(name) !== undefined
    if (problem && !isGuests) throw new NameRefusal(problem)
    if (problem || known.person || this.#hasTooMany(known)) return await this.#asGuest(name, key, known)
    const person = this.#newPerson(name)
    if (await this.#store(person, key)) return person
    const now = await this.factsOf(name, key)
    return ownerOf(now) ?? (await this.#asGuest(name, key, now))
  }

  async byCode(name: string, key: Fingerprint, code: string, known: LoginFacts): Promise<Person> {
    const { invites, clock, policy } = this.#options
    if (!(await invites.find(code))) throw wrongCode()
    const problem = this.#whyNotFree(name, key)
    if (problem) throw new InviteRefusal('no-name', problem)
    if (this.#hasTooMany(known))
      throw new InviteRefusal('no-name', `this key has ${counted(known.namesOfKey, 'name')} already`)
    const outcome = await invites.redeem(code, {
      person: this.#newPerson(name),
      skeleton: skeleton(name),
      key,
      at: clock.now(),
      most: policy().namesPerKey,
    })
    // Of two logins with the same name, key and code at once, the second finds the first one's person.
    const registered = ownerOf(await this.factsOf(name, key))
    if (registered) return registered
    if (outcome === 'no-code') throw wrongCode()
    throw new InviteRefusal('no-name', nameTaken(name))
  }

  async byCertificate(name: string, key: Fingerprint, known: LoginFacts): Promise<Person> {
    if (known.person) throw new Refusal(nameTaken(name))
    const problem = this.#whyNotFree(name, key)
    if (problem) throw new NameRefusal(problem)
    const person = this.#newPerson(name)
    // Of two logins with the same certificate at once, the second finds the first one's person.
    const now = (await this.#store(person)) ? { person, filedName: name } : await this.factsOf(name, key)
    if (!now.person || now.filedName !== name) throw new Refusal(nameTaken(name))
    return now.person
  }

  /**
   * Makes an added key the account's own at its first login. Anybody can add a public key, so to protect its
   * owner it resolves to undefined if the key has an owner, or is an admin's and the account is not.
   */
  async provePendingKey(known: LoginFacts, key: Fingerprint): Promise<Person | undefined> {
    const { stores, sanctions, log } = this.#options
    const { person, isWaiting, namesOfKey } = known
    if (!person || !isWaiting || namesOfKey > 0 || sanctions.whyOut(person) !== undefined) return undefined
    if (this.isAdminKey(key) && !(await this.#isAdmins(person))) return undefined
    if (!(await stores.keys.prove(person.id, key))) return undefined
    log.info({ person: person.name, key }, 'a key that was added logged in for the first time')
    return { ...person, notice: welcome(person.name, key) }
  }

  /** The number of changes a day is limited, because rooms announce each. Throws `Refusal`. */
  async rename(person: Person, name: string): Promise<void> {
    if (person.guest) throw new Refusal("a guest's name comes from their key; log in with a name of your own")
    if (name === person.name) throw new Refusal(`you are called ${name} already`)
    const problem = this.#whyNotFree(name, person.login?.key)
    if (problem) throw new Refusal(problem)
    if (!this.#chargeRename(person, 1)) throw new Refusal(tooOften(this.#options.policy().renamesPerDay))
    try {
      await this.#storeRename(person.id, name)
    } catch (error) {
      this.#chargeRename(person, -1)
      throw error
    }
  }

  async #storeRename(id: PersonId, name: string): Promise<void> {
    const { stores, clock, policy } = this.#options
    const at = clock.now()
    const change = { id, name, skeleton: skeleton(name), at, keptUntil: at + KEPT_DAYS * DAY_MS }
    const { keptNames } = policy()
    const outcome = await stores.names.rename(change, keptNames)
    if (outcome === 'taken') throw new Refusal(nameTaken(name))
    if (outcome === 'full') throw new Refusal(tooManyKept(keptNames))
  }

  #chargeRename(person: Person, amount: 1 | -1): boolean {
    const { renamesPerDay: burst } = this.#options.policy()
    return this.#renames.take(person, amount, { burst, everyMs: DAY_MS / burst }, 0) === 0
  }

  #store(person: Person, key?: Fingerprint): Promise<boolean> {
    const { stores, clock, policy } = this.#options
    const { namesPerKey } = policy()
    return stores.people.register(person, skeleton(person.name), key, clock.now(), namesPerKey)
  }

  #newPerson(name: string): Person {
    return { id: this.#options.nextId() as PersonId, name, admin: false, guest: false }
  }

  async #asGuest(name: string, key: Fingerprint, known: LoginFacts): Promise<Person> {
    const isFree = async (one: string): Promise<boolean> =>
      !this.#isReserved(one) && (await this.factsOf(one, key)).person === undefined
    const guest = await this.guests.assign(name, key, isFree)
    return { ...guest, why: whyGuest(name, known, this.#options.policy().namesPerKey) }
  }

  #hasTooMany({ namesOfKey }: LoginFacts): boolean {
    return namesOfKey >= this.#options.policy().namesPerKey
  }

  #isReserved(name: string): boolean {
    return whyReserved(name) !== undefined || isLike(name, this.#options.policy().modelNames)
  }

  /** Why nobody with this key can get the name, whether or not somebody registered has it. */
  #whyNotFree(name: string, key: Fingerprint | undefined): string | undefined {
    const problem = problemWithName(name)
    if (problem) return `you cannot be called that: ${problem}`
    const reserved = whyReserved(name)
    if (reserved) return reserved
    const holder = this.guests.keyOf(name)
    const isFree = !this.#isReserved(name) && (holder === undefined || holder === key)
    return isFree ? undefined : nameTaken(name)
  }

  async #isAdmins({ id, admin }: Person): Promise<boolean> {
    return admin || (await this.#options.stores.people.keysOf(id)).some((key) => this.isAdminKey(key))
  }
}

const ownerOf = ({ person, ownsName }: LoginFacts): Person | undefined => (ownsName ? person : undefined)

function whyGuest(name: string, { person, isWaiting, namesOfKey }: LoginFacts, namesPerKey: number): string {
  if (isWaiting) return `the name ${name} has other keys, and yours was not taken into that account`
  if (person) return `the name ${name} belongs to another key`
  if (namesOfKey >= namesPerKey)
    return `your key has ${counted(namesOfKey, 'name')} and may have no more (names_per_key)`
  return `somebody else has the name ${name}, or one that looks like it`
}

const wrongCode = (): InviteRefusal => new InviteRefusal('wrong-code', 'the invite code is not valid')
const nameTaken = (name: string): string => `the name ${name} is taken; choose another`

const welcome = (name: string, key: Fingerprint): string =>
  `${name} added this key, ${key}, and from now on it logs you in as ${name}. A person with another key of ${name} (keys list) can read what you do here. If that is not you: keys remove ${key}`

const tooOften = (renamesPerDay: number): string =>
  `a name can be changed ${counted(renamesPerDay, 'time')} a day (renames_per_day); try again later`

const tooManyKept = (keptNames: number): string =>
  `${countedAre(keptNames, 'former name')} kept for you, each for ${KEPT_DAYS} days; you can take one of them, or wait`
