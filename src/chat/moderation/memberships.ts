import { skeleton } from '../../base/text/names.ts'
import type { ModerationAct, RoomName } from '../../words/entry.ts'
import { Refusal } from '../../words/errors.ts'
import { isRoomName } from '../../words/names.ts'
import type { Person } from '../../words/person.ts'
import type { Membership } from '../ports.ts'
import type { Room } from '../room.ts'
import { Acting, type ActResult } from './acting.ts'

/** Who belongs to a room, and who manages it. All methods throw `Refusal` and reject with `StorageError`. */
export class Memberships extends Acting {
  async invitations(viewer: Person): Promise<readonly RoomName[]> {
    const { rooms } = this.parts.stores
    const hidden = (await rooms.all()).filter((row) => row.private)
    const mine = await Promise.all(hidden.map(({ name }) => rooms.membership(name, viewer.id)))
    return hidden.flatMap(({ name }, index) => (mine[index] === 'invited' ? [name] : []))
  }

  /** As `Rooms.get`, but also finds a room that the viewer is invited to. */
  async toJoin(name: string, viewer: Person): Promise<Room> {
    const { rooms, stores, sanctions } = this.parts
    const isInvited = isRoomName(name) && (await stores.rooms.membership(name, viewer.id)) === 'invited'
    const room = isInvited && !sanctions.isGone(name) ? await rooms.anyRoom(name) : undefined
    if (!room) return await rooms.get(name, viewer)
    const why = sanctions.whyOutOf(room.name, viewer)
    if (why !== undefined) throw new Refusal(why)
    return room
  }

  needInvitable({ name }: Room, person: Person): void {
    if (this.parts.sanctions.whyOutOf(name, person) === undefined) return
    throw new Refusal(`${person.name} is banned from ${name}; first: /unban --room ${name} ${person.name}`)
  }

  op(room: Room, actor: Person, name: string): Promise<ActResult> {
    return this.#act(room, actor, name, 'op', async ({ person, membership }) => {
      const { private: isPrivate } = await room.info()
      if (isPrivate && (!person || isOutside(membership)))
        throw new Refusal(
          `${name.slice(0, 40)} is no member of ${room.name}; invite them first, and once they have joined they can be op`,
        )
      if (!person) throw new Refusal(`nobody called ${name.slice(0, 40)} has registered here`)
      if (membership === 'owner' || membership === 'op')
        throw new Refusal(`${person.name} is ${membership} of ${room.name} already`)
      await this.parts.stores.rooms.setMembership(room.name, person.id, 'op')
      return { person, text: `${actor.name} made ${person.name} an op` }
    })
  }

  deop(room: Room, actor: Person, name: string): Promise<ActResult> {
    return this.#act(room, actor, name, 'deop', async ({ person, membership }) => {
      if (!person || membership !== 'op') throw new Refusal(`${name.slice(0, 40)} is no op of ${room.name}`)
      await this.parts.stores.rooms.setMembership(room.name, person.id, 'member')
      return { person, text: `${actor.name} took the op's rights from ${person.name}` }
    })
  }

  /** Makes the previous owner an op. Only an admin can hand a public room to a person who is not in it. */
  async handOver(room: Room, actor: Person, name: string): Promise<ActResult> {
    await this.assertOwner(room, actor, 'hand over')
    return await this.#act(room, actor, name, 'owner', async ({ person, membership }) => {
      const { private: isPrivate, owner: before } = await room.info()
      if (!person) throw new Refusal(`nobody called ${name.slice(0, 40)} has registered here`)
      if (isPrivate && isOutside(membership))
        throw new Refusal(`${person.name} is no member of ${room.name}; first: /invite ${person.name}`)
      if (membership === 'owner') throw new Refusal(`${person.name} owns ${room.name} already`)
      this.needInvitable(room, person)
      const isThere = room.present().some(({ id }) => id === person.id)
      // An owner can make anybody an op of a public room, so being an op shows no consent.
      if (!isPrivate && !isThere && (await room.roleOf(actor)) !== 'admin')
        throw new Refusal(`${person.name} is not in ${room.name}; once they are there, they can own it`)
      const { stores, rooms, clients } = this.parts
      await rooms.assertMayOwnMore(person)
      await stores.rooms.setOwner(room.name, person.id)
      const people = [person.id, ...(before === null ? [] : [before])].filter(
        (id) => id !== actor.id && !room.present().some((one) => one.id === id),
      )
      const text = `${actor.name} made ${person.name} the owner`
      void clients.everywhere({ act: 'tell', whom: { people, keys: [] }, text: `${text} of ${room.name}` })
      return { person, text }
    })
  }

  /** Takes back an invitation to a private room, or takes a member out. */
  uninvite(room: Room, actor: Person, name: string): Promise<ActResult> {
    return this.#act(room, actor, name, 'uninvite', async ({ person, membership }) => {
      if (!(await room.info()).private)
        throw new Refusal(`${room.name} is public; to keep somebody out: /ban --room ${room.name} ${name}`)
      if (!person || membership === undefined)
        throw new Refusal(`${name.slice(0, 40)} is neither invited to ${room.name} nor a member of it`)
      if (membership === 'owner') throw new Refusal(`${person.name} owns ${room.name}`)
      if (membership === 'op') throw new Refusal(`${person.name} is an op; first: deop ${person.name}`)
      await this.#end(room, person, `${actor.name} took you out of ${room.name}`)
      const text =
        membership === 'invited'
          ? `${actor.name} took back the invitation of ${person.name}`
          : `${actor.name} took ${person.name} out of the room`
      return { person, text }
    })
  }

  join(room: Room, person: Person): Promise<ActResult> {
    const { stores, log, serial } = this.parts
    return serial(async () => {
      if (person.guest) throw new Refusal('guests cannot be members of rooms; log in with a name of your own')
      const membership = await stores.rooms.membership(room.name, person.id)
      if (!isOutside(membership)) return { room: room.name, text: `you are a member of ${room.name} already` }
      await stores.rooms.setMembership(room.name, person.id, 'member')
      await room.memberChanged(person, 'joined')
      log.info({ room: room.name, who: person.name }, 'a person joined a room as a member')
      return { room: room.name, text: `you are a member of ${room.name} now` }
    })
  }

  leave(room: Room, person: Person): Promise<ActResult> {
    const { stores, log, serial } = this.parts
    return serial(async () => {
      const membership = await stores.rooms.membership(room.name, person.id)
      if (isOutside(membership)) throw new Refusal(`you are no member of ${room.name}`)
      if (membership === 'owner')
        throw new Refusal(`you own ${room.name}; first give it another owner: owner ${room.name} NAME`)
      await room.memberChanged(person, 'left')
      await this.#end(room, person, `you left ${room.name}: another session of yours ran leave`)
      log.info({ room: room.name, who: person.name }, 'a person ended their membership')
      return { room: room.name, text: `you are no member of ${room.name} any more` }
    })
  }

  /** Changes the membership of the person called `name`, and announces the sentence that `change` returns. */
  #act(
    room: Room,
    actor: Person,
    name: string,
    verb: ModerationAct['verb'],
    change: (found: Found) => Promise<{ readonly person: Person; readonly text: string }>,
  ): Promise<ActResult> {
    const { stores, clock } = this.parts
    return this.inTurn(actor, room, async () => {
      const found = await stores.people.bySkeleton(skeleton(name), clock.now())
      const membership = found && (await stores.rooms.membership(room.name, found.id))
      const { person, text } = await change({ person: found, membership })
      return await this.announceDone(room, actor, text, { verb, who: person.name })
    })
  }

  async #end(room: Room, { id, name }: Person, why: string): Promise<void> {
    const { stores, server, clients } = this.parts
    await stores.rooms.setMembership(room.name, id, null)
    if (!(await room.info()).private) return
    void server.stopWork({ room: room.name, names: new Set([name]), why: `${name} is no member any more` })
    await clients.everywhere({ act: 'leave', room: room.name, whom: { people: [id], keys: [] }, text: why })
  }
}

interface Found {
  readonly person: Person | undefined
  readonly membership: Membership | undefined
}

const isOutside = (membership: Membership | undefined): boolean =>
  membership === undefined || membership === 'invited'
