import { expect, inject, it } from 'vitest'
import type { Membership } from '../../../src/chat/ports.ts'
import type { RoomName } from '../../../src/words/entry.ts'
import type { Person } from '../../../src/words/person.ts'
import { roomTools } from '../../../src/turns/room-tools/index.ts'
import type { ToolContext } from '../../../src/tools/context.ts'
import { createRandom } from '../../jepsen/random.ts'
import { createChatParts, screenOf } from '../../support/chat-parts.ts'
import { callTool } from '../../support/call-tool.ts'
import { runs } from '../../support/runs.ts'
import { contextFor, turnIn } from './context.ts'

const QUESTIONS = 10_000
const NAMES = ['ann', 'bob', 'cat', 'dan', 'eve', 'flo']
const MEMBERSHIPS = ['member', 'op', 'invited', null] as const

/** What this test knows of a room, beside the server. */
interface KnownRoom {
  readonly name: RoomName
  readonly private: boolean
  readonly owner: string
  readonly members: Map<string, Membership>
  readonly banned: Set<string>
  readonly present: Set<string>
}

/** Six people, one of them an admin, and ten rooms, in each of which one line has been said. */
async function createWorld() {
  const chat = await createChatParts()
  const { rooms, storage, sanctions } = chat
  const people = new Map<string, Person>()
  for (const name of NAMES) people.set(name, await chat.person(name, { admin: name === 'flo' }))
  const known: KnownRoom[] = []
  for (let index = 0; index < 10; index++) {
    const owner = NAMES[index % NAMES.length]!
    const isPrivate = index % 5 > 1
    const room = await rooms.create(`room-${index}`, people.get(owner)!, { private: isPrivate })
    await room.record({ kind: 'message', author: owner, text: `gold of place${index}` })
    const members = new Map<string, Membership>([[owner, 'owner']])
    known.push({
      ...{ name: room.name, private: isPrivate, owner, members },
      ...{ banned: new Set(), present: new Set() },
    })
  }
  const tools = roomTools({ rooms, log: storage.chat.entries, store: storage.chat.rooms })
  const seats = new Map<string, ReturnType<typeof screenOf>>()

  async function setMembership(room: KnownRoom, name: string, membership: Membership | null): Promise<void> {
    if (name === room.owner) return
    await storage.chat.rooms.setMembership(room.name, people.get(name)!.id, membership)
    if (membership === null) room.members.delete(name)
    else room.members.set(name, membership)
    if (room.private && (membership === null || membership === 'invited')) await leave(room, name)
  }

  async function toggleBan(room: KnownRoom, name: string): Promise<void> {
    const { id } = people.get(name)!
    const held = sanctions.list(room.name).filter((one) => one.people.includes(id))
    if (room.banned.delete(name)) return await sanctions.lift(held)
    room.banned.add(name)
    await leave(room, name)
    await sanctions.put({
      ...{ id: chat.nextId(), kind: 'ban', room: room.name, who: name, people: [id], keys: [] },
      ...{ network: null, reason: '', by: 'flo', at: 0, until: null },
    })
  }

  async function enter(room: KnownRoom, name: string): Promise<void> {
    if (room.present.has(name) || !mayRead(name, room)) return
    const seat = screenOf(people.get(name)!)
    seats.set(`${room.name} ${name}`, seat)
    await (await rooms.anyRoom(room.name))!.enter(seat, 'quietly')
    room.present.add(name)
  }

  async function leave(room: KnownRoom, name: string): Promise<void> {
    const seat = seats.get(`${room.name} ${name}`)
    if (!room.present.delete(name) || !seat) return
    await (await rooms.anyRoom(room.name))!.leave(seat, 'quietly')
  }

  /** Runs a tool in a room, for somebody. */
  function call(id: string, args: object, room: RoomName, person: Person): Promise<string> {
    const context: ToolContext = {
      ...contextFor({} as ToolContext['workspace']),
      ...{ room, requester: { person, role: 'member' }, chat: { messages: [], turn: turnIn(room) } },
    }
    const tool = tools.find((one) => one.id === id)!
    return callTool(tool, args, context).then(({ content }) => content)
  }

  return { ...chat, people, known, setMembership, toggleBan, enter, leave, call }
}

/** True if this person may read the room, as the documentation says it. */
function mayRead(name: string, room: KnownRoom): boolean {
  const isExempt = name === room.owner || name === 'flo'
  if (room.banned.has(name) && !isExempt) return false
  return !room.private || (room.members.get(name) ?? 'invited') !== 'invited'
}

/** The people who may come to read what is written in a room: all for a public one, also the invited. */
const readersOf = (room: KnownRoom): readonly string[] => (room.private ? [...room.members.keys()] : NAMES)

/** True if `asked` may be read in `here` for this person. */
function mayBeTold(asked: KnownRoom, here: KnownRoom, name: string): boolean {
  if (!mayRead(name, asked)) return false
  if (asked === here) return true
  if (asked.private && !here.private) return false
  if (asked.private && !readersOf(here).every((one) => (asked.members.get(one) ?? 'invited') !== 'invited'))
    return false
  // In a public room those count who are in it: everybody else can read a public room anyway, as a guest.
  const inside = [...here.members.keys(), ...here.present]
  return inside.every((one) => !asked.banned.has(one) || one === asked.owner || one === 'flo')
}

const placesIn = (text: string): readonly string[] =>
  [...new Set([...text.matchAll(/gold of place(\d)/g)].map(([, index]) => `room-${index}`))].toSorted()

it(
  'a search reveals no word of a room that a person in the asking room may not read',
  async () => {
    const world = await createWorld()
    const random = createRandom(`${inject('seed')}`)
    let told = 0
    for (let question = 0; question < runs(QUESTIONS); question++) {
      const [changed, name] = [random.pick(world.known), random.pick(NAMES)]
      const acts = [
        () => world.setMembership(changed, name, random.pick(MEMBERSHIPS)),
        () => world.setMembership(changed, name, 'member'),
        () => world.toggleBan(changed, name),
        () => world.enter(changed, name),
        () => world.leave(changed, name),
      ]
      await random.pick(acts)()

      const asker = random.pick(NAMES)
      const person = world.people.get(asker)!
      const here = random.pick(world.known.filter((room) => mayRead(asker, room)))
      const readable = world.known.filter((room) => mayBeTold(room, here, asker)).map((room) => room.name)
      const found = placesIn(await world.call('sshawl_search', { words: 'gold' }, here.name, person))
      expect(found, `question ${question}: ${asker} in ${here.name}`).toEqual(readable.toSorted())
      told += found.length

      const asked = random.pick(world.known)
      const [id, words] = random.pick([
        ['sshawl_search', { words: 'gold' }],
        ['sshawl_history', {}],
      ] as const)
      const answer = await world
        .call(id, { ...words, room: asked.name }, here.name, person)
        .catch((error: Error) => error.message)
      const isTold = mayBeTold(asked, here, asker)
      expect(
        placesIn(answer),
        `question ${question}: ${asker} asks for ${asked.name} in ${here.name}`,
      ).toEqual(isTold ? [asked.name] : [])

      if (question % 5 > 0) continue
      const own = (await world.rooms.list(person)).map((row) => row.name).filter((one) => one !== 'lobby')
      const mine = world.known.filter((room) => mayRead(asker, room)).map((room) => room.name)
      expect(own.toSorted(), `question ${question}: the rooms of ${asker}`).toEqual(mine.toSorted())
    }
    expect(told).toBeGreaterThan(runs(QUESTIONS))
  },
  runs(QUESTIONS) * 40,
)
