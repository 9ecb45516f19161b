// Callers decide who may use these classes. All methods reject with `StorageError`, too.

import { DAY_MS } from '../../base/amounts.ts'
import type { Clock, Log } from '../../base/environment.ts'
import type { RoomName } from '../../words/entry.ts'
import { Refusal } from '../../words/errors.ts'
import type { Sanctions } from '../moderation/sanctions.ts'
import { withLogin, type Fingerprint, type Person } from '../../words/person.ts'
import type {
  Codes,
  Invite,
  InviteStore,
  KeyStore,
  Newcomer,
  StoredKey,
  StoredToken,
  TokenStore,
  TokenTexts,
} from './ports.ts'

/** An open code. `isHeld`: it lets nobody in while its maker is banned from the server. */
export interface ListedInvite extends Invite {
  readonly isHeld: boolean
}

export interface InvitesOptions {
  readonly store: InviteStore
  readonly codes: Codes
  readonly clock: Clock
  readonly log: Log
  readonly maxOpen: () => number
  readonly isOut: (maker: Person) => boolean
  /** Must not throw. */
  readonly onRedeemed: (invite: Invite, newcomer: Person) => void
}

export class Invites {
  readonly #options: InvitesOptions

  constructor(options: InvitesOptions) {
    this.#options = options
  }

  /** Makes a code for `uses` people. The code is never shown again. Throws `Refusal` if too many are open. */
  async make(
    by: Person,
    { uses, days, room }: { readonly uses: number; readonly days: number; readonly room: RoomName | null },
  ): Promise<string> {
    const { store, codes, clock, log, maxOpen } = this.#options
    const code = codes.make()
    const at = clock.now()
    const invite = { by: by.id, digest: codes.digest(code), room, uses, until: at + days * DAY_MS, at }
    const id = await store.add(invite, maxOpen())
    if (id === undefined)
      throw new Refusal(`you have ${maxOpen()} open codes already; revoke one, or wait until one is used`)
    log.info({ id, by: by.name, room, uses, days }, 'an invite code was made')
    return code
  }

  async list(person: Person): Promise<readonly ListedInvite[]> {
    const { store, clock, isOut } = this.#options
    const all = await store.list(clock.now(), person.admin ? undefined : person.id)
    return all.map((invite) => ({ ...invite, isHeld: isOut(invite.by) }))
  }

  async revoke(person: Person, id: number): Promise<void> {
    const { store, clock, log } = this.#options
    const done = await store.revoke(id, clock.now(), person.admin ? undefined : person.id)
    if (!done) throw new Refusal(`you have no open invite ${id}; see /invites list`)
    log.info({ id, by: person.name }, 'an invite code was revoked')
  }

  /** Undefined for a code that lets nobody in. */
  async find(code: string): Promise<Invite | undefined> {
    const { store, codes, clock, isOut } = this.#options
    const invite = await store.find(codes.digest(code), clock.now())
    return invite && !isOut(invite.by) ? invite : undefined
  }

  async redeem(code: string, newcomer: Newcomer): ReturnType<InviteStore['redeem']> {
    const { store, codes, log, onRedeemed } = this.#options
    if (!(await this.find(code))) return 'no-code'
    const invite = await store.redeem(codes.digest(code), newcomer)
    if (typeof invite === 'string') return invite
    const { id, by, room } = invite
    const { person } = newcomer
    log.info({ id, by: by.name, room, who: person.name }, 'a person registered with an invite code')
    onRedeemed(invite, person)
    return invite
  }
}

export interface KeysOptions {
  readonly store: KeyStore
  /** The fingerprint of a public key that could log in. */
  readonly readLine: (line: string) => Fingerprint | undefined
  readonly clock: Clock
  readonly log: Log
  readonly maxKeys: () => number
}

const NO_KEY =
  'this is not a public key of a supported type: give the line of a .pub file, such as "ssh-ed25519 AAAA…"; nothing was added'

const LAST_KEY =
  'this is your last key that has logged in, and without it you could not log in; log in with another key first'

const NO_KEYS = 'a guest has no keys here; log in with a name of your own'

/** The keys of people. All methods throw `Refusal` for a guest. */
export class Keys {
  readonly #options: KeysOptions

  constructor(options: KeysOptions) {
    this.#options = options
  }

  async list(person: Person): Promise<readonly StoredKey[]> {
    refuseGuest(person, NO_KEYS)
    return await this.#options.store.list(person.id)
  }

  /** The key waits for its first login. Throws `Refusal`, but reveals no other owner or ban of the key. */
  async add(person: Person, line: string): Promise<Fingerprint> {
    const { store, readLine, clock, log, maxKeys } = this.#options
    refuseGuest(person, NO_KEYS)
    const key = readLine(line)
    if (!key) throw new Refusal(NO_KEY)
    const outcome = await store.add(person.id, key, clock.now(), maxKeys())
    if (outcome === 'known') throw new Refusal(`${key} is yours already`)
    if (outcome === 'full')
      throw new Refusal(`you have ${maxKeys()} keys already; remove one before you add another`)
    log.info({ person: person.name, key }, 'a key was added')
    return key
  }

  async remove(person: Person, fingerprint: string): Promise<void> {
    const { store, log } = this.#options
    refuseGuest(person, NO_KEYS)
    const key = (await store.list(person.id)).find((one) => one.fingerprint === fingerprint)
    const outcome = key ? await store.remove(person.id, key.fingerprint) : 'unknown'
    if (outcome === 'last') throw new Refusal(LAST_KEY)
    if (outcome === 'unknown')
      throw new Refusal(`you have no key ${fingerprint.slice(0, 60)}; /keys list shows yours`)
    log.info({ person: person.name, key: fingerprint }, 'a key was removed')
  }
}

export interface TokensOptions {
  readonly store: TokenStore
  readonly texts: TokenTexts
  readonly people: { follow(person: Person, key: Fingerprint): Person }
  readonly sanctions: Pick<Sanctions, 'barsLogin'>
  readonly clock: Clock
  readonly log: Log
  readonly maxTokens: () => number
}

/** The address that a program connects from; as in `Login`. */
interface Origin {
  readonly address: string
  readonly network: string
}

const NO_TOKENS = 'a guest has no tokens; log in with a name of your own'

export class Tokens {
  readonly #options: TokensOptions

  constructor(options: TokensOptions) {
    this.#options = options
  }

  /**
   * Makes a token, which is never shown again. `until`, in ms since the epoch, is at most the end of its
   * maker's certificate. `rooms`: the only rooms that it reaches; null for all. Throws `Refusal`.
   */
  async make(
    by: Person,
    { rooms, days }: { readonly rooms: readonly RoomName[] | null; readonly days: number },
  ): Promise<{ readonly token: string; readonly id: number; readonly until: number }> {
    const { store, texts, clock, log, maxTokens } = this.#options
    refuseGuest(by, NO_TOKENS)
    const token = texts.make()
    const at = clock.now()
    const { key = null, certifiedUntil = Infinity } = by.login ?? {}
    if (certifiedUntil <= at)
      throw new Refusal('the certificate of this login has expired; log in with a new one')
    const until = Math.min(at + days * DAY_MS, certifiedUntil)
    const digest = texts.digest(token)
    const id = await store.add({ by: by.id, key, rooms, digest, at, until }, maxTokens())
    if (id === undefined)
      throw new Refusal(`you have ${maxTokens()} tokens already; revoke one before you make another`)
    log.info({ id, by: by.name, rooms, days }, 'a token was made')
    return { token, id, until }
  }

  /** In order of number. Throws `Refusal` for a guest. */
  async list(person: Person): Promise<readonly StoredToken[]> {
    refuseGuest(person, NO_TOKENS)
    return await this.#options.store.list(person.id, this.#options.clock.now())
  }

  async revoke(person: Person, id: number): Promise<void> {
    const { store, clock, log } = this.#options
    refuseGuest(person, NO_TOKENS)
    const done = await store.revoke(id, clock.now(), person.admin ? undefined : person.id)
    if (!done) throw new Refusal(`you have no token ${id}; /token list shows yours`)
    log.info({ id, by: person.name }, 'a token was revoked')
  }

  /** Resolves to a valid token's person (`People.follow`); undefined for other texts and banned people. */
  async identify(text: string, { address, network }: Origin): Promise<Person | undefined> {
    const { store, texts, clock, sanctions, people } = this.#options
    const stored = await store.find(texts.digest(text), clock.now())
    if (!stored) return undefined
    const { id, by, until, rooms } = stored
    const key = stored.key ?? (`token:${id}` as Fingerprint)
    if (sanctions.barsLogin({ key, holders: [by.id], address })) return undefined
    const token = rooms === null ? { id, until } : { id, until, rooms: new Set(rooms) }
    return withLogin(people.follow(by, key), { key, network, token })
  }
}

function refuseGuest({ guest }: Person, why: string): void {
  if (guest) throw new Refusal(why)
}
