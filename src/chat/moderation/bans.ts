import { Refusal, StorageError } from '../errors.ts'
import type { Person, PersonId } from '../people/person.ts'
import type { Room } from '../room.ts'
import { mayManage } from '../access.ts'
import { LOBBY } from '../people/names.ts'
import { stopTheirWork } from './discipline.ts'
import {
  actFacts,
  becauseOf,
  forHowLong,
  needStanding,
  tellInForce,
  type ModerationParts,
  type Told,
} from './parts.ts'
import type { Sanction } from './ports.ts'
import { puttingOut } from './put-out.ts'
import { findTarget, held, needInReach, needOther, sanctionsOf, type ActTarget } from './target.ts'

/** Whom to ban, and why. */
export interface BanOrder {
  /** A name, a fingerprint or a network. */
  readonly who: string
  /** For how long; until it is lifted where it is absent. */
  readonly ms: number | undefined
  /** Empty for none. */
  readonly reason: string
}

/**
 * Bans from one room, by those who manage it, or from the server, by admins: where no room is given. All of it throws
 * `Refusal` and rejects with `StorageError`.
 */
export interface Bans {
  /** Ends the sessions and commands that it concerns at once, and replaces an earlier ban of the same. */
  ban(room: Room | undefined, actor: Person, order: BanOrder): Promise<Told>
  unban(room: Room | undefined, actor: Person, who: string): Promise<Told>
  /** Those that hold now, in order of time; of a room the mutes, too. */
  list(room: Room | undefined, actor: Person): Promise<readonly ListedSanction[]>
}

/** A sanction, and whom it concerns now. */
export interface ListedSanction extends Sanction {
  /** The names of now of the registered people it was given for, in order; none where it is a guest's, or a network's. */
  readonly names: readonly string[]
}

export function createBans(parts: ModerationParts): Bans {
  const { sanctions, stores, clock, log } = parts

  async function needRight(room: Room | undefined, actor: Person): Promise<void> {
    needStanding(parts, actor)
    if (room) {
      if (mayManage(await room.roleOf(actor))) return needStanding(parts, actor, room)
      throw new Refusal(`only the owner of ${room.name}, an op or an admin can ban people from it`)
    }
    if (actor.admin || (await stores.people.byId(actor.id))?.admin) return
    throw new Refusal('only an admin can ban people from the server; ops of a room: ban --room ROOM WHO')
  }

  const bansOf = (room: Room | undefined): readonly Sanction[] =>
    sanctions.list(room?.name ?? null).filter(({ kind }) => kind === 'ban')

  async function needReach(target: ActTarget, room: Room | undefined, actor: Person): Promise<void> {
    if (room?.name === LOBBY)
      throw new Refusal('every session begins in the lobby: mute somebody there, or ban them from the server')
    if (room) await needInReach(target, room, actor, parts)
    else needOther(target, actor, parts)
  }

  return {
    async ban(room, actor, { who: word, ms, reason }) {
      await needRight(room, actor)
      const target = await findTarget(word, parts)
      await needReach(target, room, actor)
      const at = clock.now()
      const until = ms === undefined ? null : at + ms
      const facts = { id: parts.nextId(), kind: 'ban', room: room?.name ?? null, by: actor.name } as const
      const replaced = bansOf(room).filter(({ who }) => who === target.who)
      const members = await membersOf(target, room, parts)
      const putOut = await puttingOut({ room: facts.room, until, reason }, parts)
      const toldIn = room ?? (await parts.rooms.lobby())
      await sanctions.put({ ...held(target), ...facts, reason, at, until }, replaced)
      const { shown } = target
      stopTheirWork(target, room, `${shown} was banned`, parts)
      const text = `${actor.name} banned ${shown}${fromWhere(room)}${untilLifted(ms)}${members.length > 0 ? NO_MEMBER : ''}${becauseOf(reason)}`
      const act = { verb: 'ban', who: shown, ...actFacts(reason, until) } as const
      // Nothing that fails here, or waits for the store, may leave anybody where they are banned from.
      const [told] = await Promise.all([
        tellInForce(toldIn, actor, { text, act }, log),
        putOut(),
        takeMembership(members, text, room, parts),
      ])
      return told
    },
    async unban(room, actor, word) {
      await needRight(room, actor)
      const lifted = await sanctionsOf(word, bansOf(room), parts)
      if (lifted.length === 0)
        throw new Refusal(`${word.slice(0, 60)} is not banned${fromWhere(room)}; see /bans`)
      const isPrivate = room !== undefined && (await room.info()).private
      const lobby = await parts.rooms.lobby()
      await sanctions.lift(lifted)
      const shown = lifted.some(({ network }) => network !== null) ? 'a network' : shownName(lifted[0])
      const text = `${actor.name} lifted the ban of ${shown}${fromWhere(room)}${isPrivate ? INVITE_AGAIN : ''}`
      // The entry is for all to read, and names no key and no network: the log does.
      log.info({ by: actor.name, lifted: lifted.map(({ who }) => who) }, 'bans were lifted')
      const act = { verb: 'unban', who: shown } as const
      return await tellInForce(room ?? lobby, actor, { text, act }, log)
    },
    async list(room, actor) {
      await needRight(room, actor)
      const held = sanctions.list(room?.name ?? null).filter(({ kind }) => kind !== 'archive')
      return await Promise.all(held.map(async (one) => ({ ...one, names: await namesOf(one, parts) })))
    },
  }
}

async function namesOf({ people }: Sanction, { stores }: ModerationParts): Promise<readonly string[]> {
  const found = await Promise.all(people.map((id) => stores.people.byId(id)))
  return found.flatMap((person) => person?.name ?? []).toSorted()
}

/** Said, so that whoever meant a shorter time sees it. */
const untilLifted = (ms: number | undefined): string =>
  ms === undefined ? ' without an end' : forHowLong(ms)

const fromWhere = (room: Room | undefined): string => (room ? ` from ${room.name}` : ' from the server')

const shownName = (sanction: Sanction | undefined): string =>
  sanction && !sanction.who.startsWith('SHA256:') ? sanction.who : 'a key'

/** Those whom a ban from a private room makes no members of it any more, so that they learn nothing of it. */
async function membersOf(
  { people }: ActTarget,
  room: Room | undefined,
  { stores }: ModerationParts,
): Promise<readonly PersonId[]> {
  if (!room || !(await room.info()).private) return []
  const memberships = await Promise.all(people.map(({ id }) => stores.rooms.membership(room.name, id)))
  return people.flatMap(({ id }, index) => (memberships[index] ? [id] : []))
}

/** Rejects with `Refusal` only: the ban holds already. */
async function takeMembership(
  members: readonly PersonId[],
  text: string,
  room: Room | undefined,
  { stores }: ModerationParts,
): Promise<void> {
  try {
    for (const id of members) if (room) await stores.rooms.setMembership(room.name, id, null)
  } catch (error) {
    if (!(error instanceof StorageError)) throw error
    throw new Refusal(`${text}; that holds, but the membership was not taken: ${error.message}`)
  }
}

const NO_MEMBER = ', who is no member any more'
const INVITE_AGAIN = '; an invitation lets them in again'
