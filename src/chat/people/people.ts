import { createSerial } from '../../base/jobs/serial.ts'
import { InviteRefusal, Refusal } from '../../words/errors.ts'
import type { Fingerprint, Person, PersonId } from '../../words/person.ts'
import { Registration, type AccessPolicy, type PeopleOptions } from './registration.ts'

export interface Proof {
  /** An invite code; used only if the key alone would not get in. */
  readonly code?: string
  /** True if a certificate of the operator's authority gives them the name. */
  readonly isCertified?: boolean
  /** What the client may offer if this key is refused: other keys, or also a certificate. */
  readonly mayFollow?: 'keys' | 'certificate'
}

/** The most characters that are read of a user name. */
const MAX_ASKED = 200

export class People {
  readonly #options: PeopleOptions
  readonly #registration: Registration
  /** Serializes reads and writes, so that no older value replaces a newer one. */
  readonly #serially = createSerial()
  readonly #names = new Map<PersonId, string>()
  readonly #admins = new Map<PersonId, boolean>()
  #claimCode: string | undefined

  constructor(options: PeopleOptions) {
    this.#options = options
    this.#claimCode = options.claimCode
    this.#registration = new Registration(options)
  }

  /**
   * The person behind a proven key that asks for a name, followed (`follow`). Registers a free name to the
   * key; gives a guest name such as `alice-417` if another key has the name, or this key has too many. Throws
   * the same `Refusal` for a banned key as for one that is not let in: `InviteRefusal` if it concerns a code,
   * `NameRefusal` if only the name is wrong. Rejects with `StorageError`.
   */
  async identify(asked: string, key: Fingerprint, address: string, proof: Proof = {}): Promise<Person> {
    const name = asked.slice(0, MAX_ASKED).normalize('NFC')
    return this.follow(await this.#find(name, key, address, proof), key)
  }

  /** Resolves to the stored person with their key's rights, or the guest. Rejects with `StorageError`. */
  async current(person: Person): Promise<Person> {
    const stored = person.guest ? undefined : await this.#options.stores.people.byId(person.id)
    if (!stored) return person
    const isAdmin = person.login !== undefined && this.#registration.isAdminKey(person.login.key)
    return { ...stored, admin: stored.admin || isAdmin }
  }

  /**
   * Adds getters for name and rights. `key`: of the login; for a token, its maker's key or the token's id.
   */
  follow(person: Person, key: Fingerprint): Person {
    const nameOf = (): string => this.#names.get(person.id) ?? person.name
    const isAdmin = (): boolean =>
      (!person.guest && this.#registration.isAdminKey(key)) || (this.#admins.get(person.id) ?? person.admin)
    return {
      ...person,
      get name() {
        return nameOf()
      },
      get admin() {
        return isAdmin()
      },
    }
  }

  /** Makes the person the first admin, once. Throws `Refusal`. */
  async claim(person: Person, code: string): Promise<void> {
    if (!this.#isClaimCode(code))
      throw new Refusal(
        'that claim code is wrong or was used already; the server prints one at its start until it has an admin',
      )
    if (person.guest) throw new Refusal('a guest cannot be admin; log in with a name that nobody has')
    const { people } = this.#options.stores
    if (this.#hasConfigAdmin() || !(await people.claimAdmin(person.id)))
      throw new Refusal('there is an admin already')
    this.#claimCode = undefined
    this.#admins.set(person.id, true)
  }

  isClaimable(): boolean {
    return this.#claimCode !== undefined && !this.#hasConfigAdmin()
  }

  guestKey(name: string): Fingerprint | undefined {
    return this.#registration.guests.keyOf(name)
  }

  /** Renames a person, and reserves the former name for a while. Throws `Refusal`. */
  async rename(person: Person, name: string): Promise<void> {
    await this.#serially(async () => {
      await this.#registration.rename(person, name)
      this.#names.set(person.id, name)
    })
  }

  /** Reads names and rights that another server may have changed. Rejects with `StorageError`. */
  async readAgain(ids: readonly PersonId[]): Promise<void> {
    await this.#serially(async () => {
      for (const { id, name, admin } of await this.#options.stores.people.byIds(ids)) {
        this.#names.set(id, name)
        this.#admins.set(id, admin)
        if (admin) this.#claimCode = undefined
      }
    })
  }

  async #find(name: string, key: Fingerprint, address: string, proof: Proof): Promise<Person> {
    const { code, isCertified = false } = proof
    const registration = this.#registration
    // The same query for every name, so that its duration does not reveal whether a name exists.
    const known = await registration.factsOf(name, key)
    const isNamed = isCertified && known.person !== undefined && isSameName(name, known.filedName)
    const holders = isNamed ? [...known.holders, known.person.id] : known.holders
    const { access } = this.#options.policy()
    if (this.#options.sanctions.barsLogin({ key, ...known, holders, address })) throw banned(access, code)
    if (known.person && known.ownsName) return known.person
    const added =
      code === undefined && !isCertified ? await registration.provePendingKey(known, key) : undefined
    if (added) return added
    if (isNamed) return known.person
    if (isCertified) return await registration.byCertificate(name, key, known)
    if (code !== undefined && (await this.#opensClaim(code)))
      return await registration.byKey(name, key, known)
    if (code !== undefined && access !== 'closed') return await registration.byCode(name, key, code, known)
    const isAdmin = registration.isAdminKey(key)
    if (access === 'open' && mayOfferBetter(proof, known.person !== undefined, isAdmin))
      throw new InviteRefusal('later', 'the client is asked first for another key, or a certificate')
    if (access === 'open' || isAdmin) return await registration.byKey(name, key, known)
    if (access === 'invite')
      throw new InviteRefusal('no-code', 'nobody has this key, and the login has no code')
    throw new Refusal('this server admits only people it knows; ask an admin to let you in')
  }

  async #opensClaim(code: string): Promise<boolean> {
    return (
      this.#isClaimCode(code) && !this.#hasConfigAdmin() && !(await this.#options.stores.people.hasAdmin())
    )
  }

  #isClaimCode(code: string): boolean {
    return this.#claimCode !== undefined && isSameText(code.trim().toUpperCase(), this.#claimCode)
  }

  #hasConfigAdmin(): boolean {
    return this.#options.policy().admins.length > 0
  }
}

/** True if the client may still offer another key or a certificate that has a right to the name. */
const mayOfferBetter = ({ mayFollow }: Proof, hasOwner: boolean, isAdminKey: boolean): boolean =>
  hasOwner ? mayFollow !== undefined : mayFollow === 'certificate' && !isAdminKey

/** Case makes no difference, but a name that only looks the same is another one. */
const isSameName = (asked: string, filed: string | undefined): boolean =>
  asked.toLowerCase() === filed?.toLowerCase()

/** Takes a time that does not depend on where the texts differ. */
function isSameText(a: string, b: string): boolean {
  let difference = a.length ^ b.length
  for (let i = 0; i < b.length; i++) difference |= (a.charCodeAt(i) || 0) ^ b.charCodeAt(i)
  return difference === 0
}

/** The refusal of a banned key: the same answer as for an unknown key. */
function banned(access: AccessPolicy, code: string | undefined): Refusal {
  if (access !== 'invite') return new Refusal(BANNED)
  return new InviteRefusal(code === undefined ? 'no-code' : 'wrong-code', BANNED)
}

/** Only for the log: the client must not learn it. */
const BANNED = 'this key, its owner or its network is banned'
