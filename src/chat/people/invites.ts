import { DAY_MS } from '../../lib/duration.ts'
import type { RoomName } from '../entry.ts'
import { Refusal } from '../errors.ts'
import type { Clock, Log } from '../ports.ts'
import type { Person } from './person.ts'
import type { Codes, Invite, InviteStore, Newcomer } from './ports.ts'

/** What somebody wants of a new code. */
export interface InviteWish {
  /** How many people it lets in. */
  readonly uses: number
  readonly days: number
  readonly room: RoomName | null
}

/** The codes that let newcomers in. Who may make one is for the caller to decide. All reject with `StorageError` too. */
export interface Invites {
  /** A new code, which is told once and never again. Throws `Refusal`: too many open ones. */
  make(by: Person, wish: InviteWish): Promise<string>
  /** The open ones of this person; an admin's list has all, those of banned people too, which let nobody in meanwhile. */
  list(person: Person): Promise<readonly ListedInvite[]>
  /** Ends one; an admin may end anybody's. Throws `Refusal` if the person has none of this number. */
  revoke(person: Person, id: number): Promise<void>
  /** What a code is good for now; undefined for one that lets nobody in. */
  find(code: string): Promise<Invite | undefined>
  /** As `InviteStore.redeem`. */
  redeem(code: string, newcomer: Newcomer): ReturnType<InviteStore['redeem']>
}

/** A code that is open, unless its maker is banned from the server. */
export interface ListedInvite extends Invite {
  readonly isHeld: boolean
}

/** What codes are made with. */
export interface InvitesParts {
  readonly store: InviteStore
  readonly codes: Codes
  readonly clock: Clock
  readonly log: Log
  /** How many open ones one person may have; asked at each use. */
  readonly maxOpen: () => number
  /** Whether somebody is banned from the server: their codes let nobody in as long as they are. */
  readonly isOut: (maker: Person) => boolean
  /** Somebody came in with a code. Must not throw. */
  readonly onRedeemed: (invite: Invite, newcomer: Person) => void
}

export function createInvites(parts: InvitesParts): Invites {
  const { store, codes, clock, log } = parts

  async function find(code: string): Promise<Invite | undefined> {
    const invite = await store.find(codes.digest(code), clock.now())
    return invite && !parts.isOut(invite.by) ? invite : undefined
  }

  return {
    async make(by, { uses, days, room }) {
      const code = codes.make()
      const at = clock.now()
      const digest = codes.digest(code)
      const invite = { by: by.id, digest, room, uses, until: at + days * DAY_MS, at }
      const id = await store.add(invite, parts.maxOpen())
      if (id === undefined)
        throw new Refusal(
          `you have ${parts.maxOpen()} open codes already; revoke one, or wait until one is used`,
        )
      log.info({ id, by: by.name, room, uses, days }, 'an invite code was made')
      return code
    },
    async list(person) {
      const all = await store.list(clock.now(), person.admin ? undefined : person.id)
      return all.map((invite) => ({ ...invite, isHeld: parts.isOut(invite.by) }))
    },
    async revoke(person, id) {
      const done = await store.revoke(id, clock.now(), person.admin ? undefined : person.id)
      if (!done) throw new Refusal(`you have no open invite ${id}; see /invites list`)
      log.info({ id, by: person.name }, 'an invite code was revoked')
    },
    find,
    async redeem(code, newcomer) {
      if (!(await find(code))) return 'no-code'
      const invite = await store.redeem(codes.digest(code), newcomer)
      if (typeof invite === 'string') return invite
      const { id, by, room } = invite
      const { person } = newcomer
      log.info({ id, by: by.name, room, who: person.name }, 'an invite code let somebody in')
      parts.onRedeemed(invite, person)
      return invite
    },
  }
}
