import { skeleton } from '../../lib/text/skeleton.ts'
import type { RoomName } from '../entry.ts'
import { Refusal } from '../errors.ts'
import { isRoomName } from '../people/names.ts'
import type { Person } from '../people/person.ts'
import type { Membership } from '../ports.ts'
import type { Room } from '../room.ts'
import { needStanding, tellInForce, type ModerationParts, type Told } from './parts.ts'

/** Who belongs to a room, and who manages it. All of it throws `Refusal` and rejects with `StorageError`. */
export interface Memberships {
  /** The private rooms that somebody is invited to and has not joined, in order of name. */
  invitations(viewer: Person): Promise<readonly RoomName[]>
  /** The room, if somebody may see it or is invited to it. Otherwise as `Rooms.get`. */
  toJoin(name: string, viewer: Person): Promise<Room>
  /** Throws `Refusal` where somebody is banned from the room, and could not join it. */
  needInvitable(room: Room, person: Person): void
  op(room: Room, actor: Person, name: string): Promise<Told>
  /** An op becomes a member. */
  deop(room: Room, actor: Person, name: string): Promise<Told>
  /** Takes back an invitation to a private room, or takes a member out of it. */
  uninvite(room: Room, actor: Person, name: string): Promise<Told>
  /** Makes somebody a member, who is not in the room. */
  join(room: Room, person: Person): Promise<Told>
  /** Takes somebody's own membership back. */
  leave(room: Room, person: Person): Promise<Told>
}

export function createMemberships(parts: ModerationParts): Memberships {
  const { rooms, stores, sanctions, clients, server, clock, log } = parts

  async function memberCalled(room: Room, name: string) {
    const person = await stores.people.bySkeleton(skeleton(name), clock.now())
    const membership = person && (await stores.rooms.membership(room.name, person.id))
    return { person, membership }
  }

  async function out(room: Room, { id, name }: Person, why: string): Promise<void> {
    await stores.rooms.setMembership(room.name, id, null)
    if (!(await room.info()).private) return
    void server.stopWork({ room: room.name, names: new Set([name]), why: `${name} is no member any more` })
    await clients.everywhere.leave(room.name, { people: [id], keys: [] }, why)
  }

  return {
    async invitations(viewer) {
      const hidden = (await stores.rooms.all()).filter((row) => row.private)
      const mine = await Promise.all(hidden.map(({ name }) => stores.rooms.membership(name, viewer.id)))
      return hidden.flatMap(({ name }, index) => (mine[index] === 'invited' ? [name] : []))
    },
    async toJoin(name, viewer) {
      const isInvited = isRoomName(name) && (await stores.rooms.membership(name, viewer.id)) === 'invited'
      const room = isInvited && !sanctions.isGone(name) ? await rooms.anyRoom(name) : undefined
      if (!room) return await rooms.get(name, viewer)
      const why = sanctions.whyOutOf(room.name, viewer)
      if (why !== undefined) throw new Refusal(why)
      return room
    },
    needInvitable({ name }, person) {
      if (sanctions.whyOutOf(name, person) === undefined) return
      throw new Refusal(`${person.name} is banned from ${name}; first: unban --room ${name} ${person.name}`)
    },
    async op(room, actor, name) {
      needStanding(parts, actor, room)
      const { person, membership } = await memberCalled(room, name)
      const { private: isPrivate } = await room.info()
      if (!person || (isPrivate && isOutside(membership))) throw new Refusal(noMember(name, room, isPrivate))
      if (membership === 'owner' || membership === 'op')
        throw new Refusal(`${person.name} is ${membership} of ${room.name} already`)
      await stores.rooms.setMembership(room.name, person.id, 'op')
      const text = `${actor.name} made ${person.name} an op`
      return await tellInForce(room, actor, { text, act: { verb: 'op', who: person.name } }, log)
    },
    async deop(room, actor, name) {
      needStanding(parts, actor, room)
      const { person, membership } = await memberCalled(room, name)
      if (!person || membership !== 'op') throw new Refusal(`${name.slice(0, 40)} is no op of ${room.name}`)
      await stores.rooms.setMembership(room.name, person.id, 'member')
      const text = `${actor.name} took the op's rights from ${person.name}`
      return await tellInForce(room, actor, { text, act: { verb: 'deop', who: person.name } }, log)
    },
    async uninvite(room, actor, name) {
      needStanding(parts, actor, room)
      if (!(await room.info()).private)
        throw new Refusal(`${room.name} is public; to keep somebody out: ban --room ${room.name} ${name}`)
      const { person, membership } = await memberCalled(room, name)
      if (!person || membership === undefined)
        throw new Refusal(`${name.slice(0, 40)} is neither invited to ${room.name} nor a member of it`)
      if (membership === 'owner') throw new Refusal(`${person.name} owns ${room.name}`)
      if (membership === 'op') throw new Refusal(`${person.name} is an op; first: deop ${person.name}`)
      const wasInvited = membership === 'invited'
      await out(room, person, `${actor.name} took you out of ${room.name}`)
      const text = wasInvited
        ? `${actor.name} took back the invitation of ${person.name}`
        : `${actor.name} took ${person.name} out of the room`
      return await tellInForce(room, actor, { text, act: { verb: 'uninvite', who: person.name } }, log)
    },
    async join(room, person) {
      if (person.guest) throw new Refusal('guests are members of no room; log in with a name of your own')
      const membership = await stores.rooms.membership(room.name, person.id)
      if (!isOutside(membership)) return { room: room.name, text: `you are a member of ${room.name} already` }
      await stores.rooms.setMembership(room.name, person.id, 'member')
      await room.memberChanged(person, 'joined')
      log.info({ room: room.name, who: person.name }, 'somebody became a member')
      return { room: room.name, text: `you are a member of ${room.name} now` }
    },
    async leave(room, person) {
      const membership = await stores.rooms.membership(room.name, person.id)
      if (isOutside(membership)) throw new Refusal(`you are no member of ${room.name}`)
      if (membership === 'owner')
        throw new Refusal(`you own ${room.name}, and its owner stays; archive or delete it instead`)
      await room.memberChanged(person, 'left')
      await out(room, person, `you left ${room.name}: another session of yours ran leave`)
      log.info({ room: room.name, who: person.name }, 'somebody is no member any more')
      return { room: room.name, text: `you are no member of ${room.name} any more` }
    },
  }
}

/** Whoever is only invited is no member yet. */
const isOutside = (membership: Membership | undefined): boolean =>
  membership === undefined || membership === 'invited'

const noMember = (name: string, room: Room, isPrivate: boolean): string =>
  isPrivate
    ? `${name.slice(0, 40)} is no member of ${room.name}; invite them first, and once they have joined they can be op`
    : `nobody called ${name.slice(0, 40)} has registered here`
