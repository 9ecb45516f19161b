import { Refusal } from '../../words/errors.ts'
import { LOBBY } from '../../words/names.ts'
import type { Person } from '../../words/person.ts'
import type { Room, Rooms } from '../../chat/index.ts'
import { arg, flag, JSON_FLAG } from '../command.ts'
import { needManager } from '../runner.ts'
import { announce, print, roomNames, tellRoom, verb, type Services } from './common.ts'

export const join = verb({
  name: 'join',
  aliases: ['j'],
  summary: 'enter a room and become its member; a private room needs an invitation',
  arguments: [arg('name', 'the name of the room')],
  example: 'den',
  complete: {
    name: async (where, services) => [
      ...(await roomNames(where, services)),
      ...(await services.moderation.memberships.invitations(where.person)),
    ],
  },
  async run({ session, script, person, args, out }, services) {
    const { memberships } = services.moderation
    if (session) {
      return await joinRoom(services, args.name, person, async (room) => {
        if (session.room.name === room.name) out.line(`you are in ${room.name}`)
        else await session.moveTo(room)
      })
    }
    const room = await memberships.toJoin(args.name, person)
    if (script?.agent) {
      await enter(services, room, person, script.agent.enter)
      out.line(`you are in ${room.name} now, and hear what is said there`)
    } else out.line(await becomeMember(services, room, person))
  },
})

type JoinServices = Pick<Services, 'moderation' | 'followed'> & { readonly stores: Stores }
type Stores = { readonly chat: Pick<Services['stores']['chat'], 'rooms'> }

/** Makes a person a member, who is notified of mentions. Returns the answer. Rejects with `Refusal`. */
async function becomeMember(
  { moderation, followed }: Omit<JoinServices, 'stores'>,
  room: Room,
  person: Person,
): Promise<string> {
  const { text } = await moderation.memberships.join(room, person)
  await followed.join(person, room)
  return text
}

/** Enters the room of this name by `goIn`. Rejects with `Refusal` and as `goIn` does. */
export async function joinRoom(
  services: JoinServices,
  name: string,
  person: Person,
  goIn: (room: Room) => Promise<void>,
): Promise<void> {
  await enterAsMember(services, await services.moderation.memberships.toJoin(name, person), person, goIn)
}

/** Nobody needs membership of the lobby, which nobody can leave; guests have no memberships. */
async function enterAsMember(
  services: JoinServices,
  room: Room,
  person: Person,
  goIn: (room: Room) => Promise<void>,
): Promise<void> {
  await enter(services, room, person, goIn)
  if (room.name !== LOBBY && !person.guest) await becomeMember(services, room, person)
}

/** An invited person who goes into a private room becomes a member of it. */
async function enter(
  { stores }: Pick<JoinServices, 'stores'>,
  room: Room,
  person: Person,
  goIn: (room: Room) => Promise<void>,
): Promise<void> {
  const { rooms } = stores.chat
  const isInvited = (await rooms.membership(room.name, person.id)) === 'invited'
  if (isInvited) await rooms.setMembership(room.name, person.id, 'member')
  await goIn(room)
}

export const leave = verb({
  name: 'leave',
  allowedOverQuota: true,
  aliases: ['part'],
  summary: 'end your membership of the room and go back to the lobby; you get no more news of the room',
  room: 'here',
  fromScript: '`leave ROOM` ends your membership of a room.',
  needsVoice: () => false,
  async run({ room, person, session, script, out }, { rooms, moderation, followed, stores }) {
    if (script?.agent) {
      await script.agent.leave(room)
      return out.line(`you are not in ${room.name} any more`)
    }
    if (!session) {
      out.line((await moderation.memberships.leave(room, person)).text)
      return await followed.leave(person, room.name)
    }
    if (room.name === LOBBY) throw new Refusal('you are in the lobby; /quit leaves the server')
    const membership = await stores.chat.rooms.membership(room.name, person.id)
    // Owners and ops keep their role, and members of a private room keep their access.
    if (membership === 'member' && !(await room.info()).private)
      await moderation.memberships.leave(room, person)
    await session.moveTo(await rooms.lobby())
    await followed.leave(person, room.name)
  },
})

export const next = verb({
  name: 'next',
  summary: 'go to the room where a line mentions you, or else to one of your rooms that has new lines',
  fromScript: 'Refused, because a script is in no room; `rooms` lists the new lines of each room.',
  async run({ person, session, out }, services) {
    if (!session) throw new Refusal('a script is in no room; rooms says where something is new')
    const visible = new Set(await roomNames({ person }, services))
    const [first] = (await services.followed.news(person)).filter(({ room }) => visible.has(room))
    if (!first) return out.line('nothing is new in your other rooms')
    await joinRoom(services, first.room, person, session.moveTo)
  },
})

export const go = verb({
  name: 'go',
  summary: 'go through an exit of this room',
  arguments: [arg('direction', 'an exit of this room, as /exits lists them')],
  example: 'north',
  fromScript: 'Refused, because a script is in no room; it names a room in each command.',
  complete: {
    direction: async ({ room, person }, { rooms }) =>
      (await rooms.exits.list(room.name, { viewer: person })).map((exit) => exit.direction),
  },
  async run({ person, session, args }, services) {
    if (!session) throw new Refusal('a script is in no room; name the room instead: say ROOM TEXT')
    const direction = args.direction.toLowerCase()
    const exit = await services.rooms.exits.follow(session.room.name, direction, { viewer: person })
    const room = await services.moderation.memberships.toJoin(exit.room, person)
    await enterAsMember(services, room, person, session.moveTo)
  },
})

export const exits = verb({
  name: 'exits',
  summary: 'list the exits of this room, and the rooms that they lead to',
  room: 'here',
  flags: [JSON_FLAG],
  needsVoice: () => false,
  async run(context, { rooms }) {
    const { person, room, session } = context
    const visible = await rooms.exits.list(room.name, { viewer: person })
    const lines = visible.map((exit) => `${exit.direction}  ${exit.room}`)
    const none = `${room.name} has no exits; ${session ? '/' : ''}portal makes one`
    print(context, visible, lines.length > 0 ? lines : none)
  },
})

/** Suggested directions, in pairs of opposites. Any other word is a direction, too. */
const DIRECTIONS: readonly string[] = ['north', 'south', 'east', 'west', 'up', 'down']

/** Returns the opposite direction, or the name of the room `from` if there is no opposite. */
const wayBack = (direction: string, from: Room): string =>
  DIRECTIONS[DIRECTIONS.indexOf(direction) ^ 1] ?? from.name

const CHANGE_EXITS = 'change its exits'

export const portal = verb({
  name: 'portal',
  summary:
    'make an exit from this room to another room (- removes the exit); --both also makes the exit back',
  room: 'here',
  flags: [flag('both', 'also an exit of the other room that leads back: north and south, east and west')],
  arguments: [
    arg('direction', 'the name of the exit, such as north: 1-32 of a-z, 0-9, _ and -'),
    arg('to', 'the room that the exit leads to, or -'),
  ],
  example: 'north lobby',
  rights: { manage: CHANGE_EXITS },
  complete: { direction: () => DIRECTIONS, to: roomNames },
  async run({ person, room, args, flags, out }, { rooms }) {
    const { exits } = rooms
    const direction = args.direction.toLowerCase()
    if (args.to === '-') {
      await exits.close(room.name, direction, { viewer: person })
      return out.line(`the exit ${direction} is gone`)
    }
    const target = await rooms.get(args.to, person)
    const back = wayBack(direction, room)
    const ways = await exits.list(target.name, { viewer: person })
    if (flags.both) {
      await needManager(target, person, CHANGE_EXITS)
      const other = ways.find((way) => way.direction === back && way.room !== room.name)
      if (other) throw new Refusal(`${target.name} has an exit ${back} already, into ${other.room}`)
    }
    await makeExit(rooms, person, room, direction, target)
    const known = ways.find((way) => way.room === room.name)
    if (flags.both) await makeExit(rooms, person, target, back, room)
    if (flags.both || known)
      return out.line(
        `${room.name} ⇄ ${target.name} by ${direction}, and back by ${flags.both ? back : known?.direction}`,
      )
    out.line(`${room.name} → ${target.name} by ${direction}; one way, --both makes two`)
  },
})

async function makeExit({ exits }: Rooms, person: Person, from: Room, direction: string, to: Room) {
  await exits.open(from.name, { direction, room: to.name })
  // Only the maker is notified of an exit into a private room.
  if (!(await to.info()).private)
    await tellRoom(from, person, `${person.name} made an exit: ${direction} leads to ${to.name} now`)
}

export const nav = verb({
  name: 'nav',
  summary: 'show or set whether models may walk into this room and out of it',
  room: 'here',
  arguments: [arg('state', 'the new one', { optional: true, oneOf: ['on', 'off'] })],
  example: 'on',
  rights: { manage: 'say whether models may walk', when: ({ state }) => state !== undefined },
  async run(context, { rooms }) {
    const { person, room, args, out } = context
    const { state } = args
    if (state === undefined) return out.line((await rooms.exits.nav(room.name)) ? 'on' : 'off')
    await rooms.exits.setNav(room.name, state === 'on')
    const may = state === 'on' ? 'may' : 'may not'
    await announce(context, `${person.name} turned nav ${state}: models ${may} walk here`)
  },
})
