// Who people are: which name belongs to which key, who is a guest, who is an admin. It must not know what a room is, nor how
// somebody logged in.
import { createSerial } from '../../lib/jobs/serial.ts'
import { skeleton } from '../../lib/text/skeleton.ts'
import { InviteRefusal, Refusal } from '../errors.ts'
import { createFirstLogin } from './first-login.ts'
import { Guests } from './guests.ts'
import type { Sanctions } from '../moderation/sanctions.ts'
import type { Invites } from './invites.ts'
import { createClaim } from './claim.ts'
import { createLivePeople } from './live-people.ts'
import { isLike, problemWithName } from './names.ts'
import type { Fingerprint, Person, PersonId } from './person.ts'
import type { KeyStore, NameStore } from './ports.ts'
import type { Peers } from '../peers.ts'
import type { Clock, Log, LoginFacts, MonotonicClock, PeopleStore } from '../ports.ts'
import { createRegister } from './register.ts'
import { createRename } from './rename.ts'
import { whyReserved } from './reserved-names.ts'

/** Who may log in. `open`: any key, which is registered then; otherwise only keys that are known, or, for `invite`, with a code. */
export type AccessPolicy = 'open' | 'invite' | 'closed'

/** Characters of a user name that are looked at: more than a name may have, and few enough to cost nothing. */
const MAX_ASKED = 200

/** Who people are: their names, the keys that the names belong to, and the first admin. */
export interface People {
  /**
   * The person behind a proven key that asks for a name. A free name is registered to the key; a name that
   * belongs to another key, or that would be one too many for this key, gives a guest name such as `alice-417`, never the
   * name. The name of the person changes with `rename`, for as long as the object is kept. Throws `Refusal`, for a banned key
   * as for one that is not let in; it is an `InviteRefusal` where that concerns an invite code, and a `NameRefusal` where all but
   * the name is right.
   */
  identify(name: string, key: Fingerprint, address: string, proof?: Proof): Promise<Person>
  /**
   * The person as they are stored now, with the rights of the key that they came in with. A guest is not stored and stays as they are.
   * Rejects with `StorageError`.
   */
  current(person: Person): Promise<Person>
  /**
   * Somebody who is known: their name and rights are those of now from here on. `key` is the one that they came in with; of whoever
   * comes by a token, the key that the token was made with, or else the token's own id.
   */
  follow(person: Person, key: Fingerprint): Person
  /** Makes the person the first admin, once. Throws `Refusal`: wrong code, used code, guest, an admin by the config. */
  claim(person: Person, code: string): Promise<void>
  /** Whether the claim code still makes somebody the first admin. */
  isClaimable(): boolean
  /** The key of the guest with this name, who may have left. */
  guestKey(name: string): Fingerprint | undefined
  /** Gives somebody another name; the former one is kept from others for a while. Throws `Refusal`. */
  rename(person: Person, name: string): Promise<void>
  /** Another server may have changed the names and rights of these. Rejects with `StorageError`. */
  readAgain(people: readonly PersonId[]): Promise<void>
}

/** What somebody who logs in has to show besides a key. */
export interface Proof {
  /** An invite code. It is looked at only where the key would not be let in as somebody known. */
  readonly code?: string
  /** A certificate that the operator trusts says that the name is theirs. */
  readonly isCertified?: boolean
  /** What the client may offer if this key is refused: other keys, or also a certificate. Absent if nothing. */
  readonly mayFollow?: 'keys' | 'certificate'
}

/** What the config says of people. */
export interface PeoplePolicy {
  readonly access: AccessPolicy
  /** Fingerprints of keys that are admins by config: whoever logs in with one is an admin in that login, and not with other keys. */
  readonly admins: readonly string[]
  /** No person may have the name of a model. */
  readonly modelNames: readonly string[]
  /** How many names one key may register. */
  readonly namesPerKey: number
  /** How many former names are kept for one person at the same time. */
  readonly keptNames: number
  /** How often one person may take another name in a day. */
  readonly renamesPerDay: number
}

/** What is stored of people. */
export interface PeopleStores {
  readonly people: PeopleStore
  readonly names: NameStore
  readonly keys: Pick<KeyStore, 'prove'>
}

/** What decides who people are. */
export interface PeopleOptions {
  readonly stores: PeopleStores
  readonly invites: Pick<Invites, 'find' | 'redeem'>
  readonly log: Log
  readonly clock: Clock & MonotonicClock
  readonly nextId: () => string
  /** Gives the policy of now; asked at each use. */
  readonly policy: () => PeoplePolicy
  /** Absent where there is an admin. */
  readonly claimCode: string | undefined
  /** Who may not come in. */
  readonly sanctions: Pick<Sanctions, 'barsLogin' | 'whyOut'>
  readonly peers: Pick<Peers, 'findGuest' | 'serversOf'>
}

export function createPeople(options: PeopleOptions): People {
  const { stores, policy, clock, log, claimCode, invites, sanctions } = options
  const { peers } = options
  const { people: store, names, keys } = stores
  const live = createLivePeople()
  const claim = createClaim({ store, claimCode, policy })
  const facts = (mark: string, key: Fingerprint): Promise<LoginFacts> =>
    store.forLogin(mark, key, clock.now())
  const isTaken = async (mark: string, key: Fingerprint): Promise<boolean> =>
    (await facts(mark, key)).person !== undefined
  const guests = new Guests({ isTaken, isReserved }, peers)
  const register = createRegister({ store, invites, guests, clock, policy, newPerson, whyNotFree, bearer })
  const firstLogin = createFirstLogin({ store, keys, sanctions, log, isAdminKey })
  const rename = createRename({
    names,
    clock,
    policy,
    serversOf: peers.serversOf,
    whyNotFree,
    onRenamed: live.rename,
  })
  /** What is read must not be older than what was written meanwhile. */
  const oneByOne = createSerial()

  function isReserved(name: string): boolean {
    return whyReserved(name) !== undefined || isLike(name, policy().modelNames)
  }

  function isAdminKey(key: Fingerprint): boolean {
    return policy().admins.includes(key)
  }

  function newPerson(name: string): Person {
    return { id: options.nextId() as PersonId, name, admin: false, guest: false }
  }

  function whyNotFree(name: string, key: Fingerprint | undefined): string | undefined {
    const problem = problemWithName(name)
    if (problem) return `you cannot be called that: ${problem}`
    const reserved = whyReserved(name)
    if (reserved) return reserved
    const holder = guests.keyOf(name)
    const isFree = !isReserved(name) && (holder === undefined || holder === key)
    return isFree ? undefined : `the name ${name} is taken; choose another`
  }

  /** Who has the name, where the key is theirs, and what else is to be known of both. */
  async function bearer(name: string, key: Fingerprint) {
    // The store is asked the same for every name, so that an answer takes as long for one that exists as for any other.
    const known = await facts(skeleton(name), key)
    if (!known.person || !known.ownsName) return { known }
    return { known, person: known.person }
  }

  async function find(
    name: string,
    key: Fingerprint,
    address: string,
    { code, isCertified, mayFollow }: Proof,
  ): Promise<Person> {
    const { known, person } = await bearer(name, key)
    const isNamed = isCertified === true && known.person !== undefined && isSameName(name, known.filedName)
    const holders = isNamed ? [...known.holders, known.person.id] : known.holders
    // Asked once the store was read, so that it takes as long as for a key that nobody knows.
    if (sanctions.barsLogin({ key, ...known, holders, address })) throw banned(policy().access, code)
    if (person) return person
    const added = code === undefined && !isCertified ? await firstLogin(known, key) : undefined
    if (added) return added
    if (isNamed) return known.person
    if (isCertified) return await register.certified(name, key, known)
    const { access } = policy()
    if (code !== undefined && (await claim.opens(code))) return await register.byKey(name, key, known)
    if (code !== undefined && access !== 'closed') return await register.withCode(name, key, code, known)
    const mayOpenName = known.person
      ? mayFollow !== undefined
      : mayFollow === 'certificate' && !isAdminKey(key)
    if (access === 'open' && mayOpenName)
      throw new InviteRefusal('later', 'the client is asked first for another key, or a certificate')
    if (access === 'open' || isAdminKey(key)) return await register.byKey(name, key, known)
    if (access === 'invite') throw new InviteRefusal('no-code', 'nobody has this key, and it brings no code')
    throw new Refusal('this server admits only people it knows; ask an admin to let you in')
  }

  const follow = (person: Person, key: Fingerprint): Person =>
    live.follow(person, () => !person.guest && isAdminKey(key))

  return {
    identify: async (asked, key, address, proof = {}) => {
      const name = asked.slice(0, MAX_ASKED).normalize('NFC')
      const person = await find(name, key, address, proof)
      return follow(person, key)
    },
    follow,
    async current(person) {
      const stored = person.guest ? undefined : await store.byId(person.id)
      if (!stored) return person
      return {
        ...stored,
        admin: stored.admin || (person.login !== undefined && isAdminKey(person.login.key)),
      }
    },
    isClaimable: claim.isOpen,
    guestKey: (name) => guests.keyOf(name),
    async claim(person, code) {
      await claim.take(person, code)
      live.setAdmin(person.id, true)
    },
    rename: (person, name) => oneByOne(() => rename(person, name)),
    readAgain: (ids) =>
      oneByOne(async () => {
        for (const id of ids) {
          const person = await store.byId(id)
          if (!person) continue
          live.rename(id, person.name)
          live.setAdmin(id, person.admin)
          if (person.admin) claim.close()
        }
      }),
  }
}

/** Whether somebody wrote a name as its bearer does, but for the case: a name that only looks like it is another one. */
const isSameName = (asked: string, filed: string | undefined): boolean =>
  asked.toLowerCase() === filed?.toLowerCase()

/** The same answer as for a key that nobody has. */
function banned(access: AccessPolicy, code: string | undefined): Refusal {
  if (access !== 'invite') return new Refusal(BANNED)
  return new InviteRefusal(code === undefined ? 'no-code' : 'wrong-code', BANNED)
}

/** For the log: the client learns nothing. */
const BANNED = 'this key, its owner or its network is banned'
