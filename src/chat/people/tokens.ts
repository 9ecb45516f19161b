import { DAY_MS } from '../../lib/duration.ts'
import type { RoomName } from '../entry.ts'
import { Refusal } from '../errors.ts'
import type { Sanctions } from '../moderation/sanctions.ts'
import type { Clock, Log } from '../ports.ts'
import type { People } from './people.ts'
import { withLogin, type Fingerprint, type Person } from './person.ts'
import type { StoredToken, TokenStore, TokenTexts } from './ports.ts'

/** What somebody wants of a new token. */
export interface TokenWish {
  /** The only rooms that it is for; null for all that the person may see. */
  readonly rooms: readonly RoomName[] | null
  readonly days: number
}

/** A token, its number, and when it expires, in milliseconds since the epoch. */
export interface NewlyMade {
  readonly token: string
  readonly id: number
  readonly until: number
}

/** The tokens with which programs come in as somebody. All reject with `StorageError` too. */
export interface Tokens {
  /**
   * A new token, which is told once and never again. It does not outlive the certificate that its maker came in with. Throws
   * `Refusal`: a guest, too many, a certificate that has ended.
   */
  make(by: Person, wish: TokenWish): Promise<NewlyMade>
  /** Those of this person that hold, in order of number. */
  list(person: Person): Promise<readonly StoredToken[]>
  /** Ends one; an admin may end anybody's. Throws `Refusal` if the person has none of this number. */
  revoke(person: Person, id: number): Promise<void>
  /**
   * Who comes in with this text: their name and rights are those of now. Undefined for a text that is no token that holds, and
   * for a token of somebody who is banned.
   */
  identify(text: string, from: Origin): Promise<Person | undefined>
}

/** Where a program comes from. */
export interface Origin {
  readonly address: string
  /** As in `Login`. */
  readonly network: string
}

/** What tokens are kept with. */
export interface TokensParts {
  readonly store: TokenStore
  readonly texts: TokenTexts
  readonly people: Pick<People, 'follow'>
  readonly sanctions: Pick<Sanctions, 'barsLogin'>
  readonly clock: Clock
  readonly log: Log
  /** How many one person may have; asked at each use. */
  readonly maxTokens: () => number
}

export function createTokens({
  store,
  texts,
  people,
  sanctions,
  clock,
  log,
  maxTokens,
}: TokensParts): Tokens {
  return {
    async make(by, { rooms, days }) {
      refuseGuest(by)
      const token = texts.make()
      const at = clock.now()
      const { key = null, certifiedUntil = Infinity } = by.login ?? {}
      if (certifiedUntil <= at)
        throw new Refusal('the certificate that you came in with has ended; come in with a new one')
      const until = Math.min(at + days * DAY_MS, certifiedUntil)
      const digest = texts.digest(token)
      const id = await store.add({ by: by.id, key, rooms, digest, at, until }, maxTokens())
      if (id === undefined)
        throw new Refusal(`you have ${maxTokens()} tokens already; revoke one before you make another`)
      log.info({ id, by: by.name, rooms, days }, 'a token was made')
      return { token, id, until }
    },
    async list(person) {
      refuseGuest(person)
      return await store.list(person.id, clock.now())
    },
    async revoke(person, id) {
      refuseGuest(person)
      const done = await store.revoke(id, clock.now(), person.admin ? undefined : person.id)
      if (!done) throw new Refusal(`you have no token ${id}; /token list shows yours`)
      log.info({ id, by: person.name }, 'a token was revoked')
    },
    async identify(text, from) {
      const token = await store.find(texts.digest(text), clock.now())
      if (!token) return undefined
      const key = token.key ?? (`token:${token.id}` as Fingerprint)
      const attempt = { key, holders: [token.by.id], founders: [], address: from.address }
      if (sanctions.barsLogin(attempt)) return undefined
      return holderOf(token, key, from)
    },
  }

  function holderOf({ id, by, until, rooms }: StoredToken, key: Fingerprint, { network }: Origin): Person {
    const token = rooms === null ? { id, until } : { id, until, rooms: new Set(rooms) }
    return withLogin(people.follow(by, key), { key, network, token })
  }
}

function refuseGuest({ guest }: Person): void {
  if (guest) throw new Refusal('a guest has no tokens; log in with a name of your own')
}
