import { expect, it } from 'vitest'
import type { NewEntry, RoomName } from '../../../src/words/entry.ts'
import type { Person } from '../../../src/words/person.ts'
import { roomTools } from '../../../src/turns/room-tools/index.ts'
import type { ToolContext } from '../../../src/tools/context.ts'
import { createChatParts } from '../../support/chat-parts.ts'
import { contextFor, turnIn, type Verdict } from './context.ts'
import { callTool } from '../../support/call-tool.ts'

const name = (text: string) => text as RoomName

/** The lobby with exits north to the public attic and down to alice's private den; models may walk up. */
async function house() {
  const chatParts = await createChatParts()
  const { rooms, storage } = chatParts
  const alice = await chatParts.person('alice')
  const bob = await chatParts.person('bob')
  const lobby = await rooms.lobby()
  const attic = await rooms.create('attic', alice, { private: false })
  const den = await rooms.create('den', alice, { private: true })
  await rooms.exits.open(lobby.name, { direction: 'north', room: attic.name })
  await rooms.exits.open(lobby.name, { direction: 'down', room: den.name })
  await rooms.exits.open(attic.name, { direction: 'south', room: lobby.name })
  for (const room of [lobby, attic, den]) await rooms.exits.setNav(room.name, true)
  const tools = roomTools({ rooms, log: storage.chat.entries, store: storage.chat.rooms })

  /** One turn for somebody, called in a room: gives the function that calls its tools. */
  function turn(person: Person, room = lobby, verdict: Verdict = 'allow') {
    const base = contextFor({} as ToolContext['workspace'], verdict)
    const caller = turnIn(room.name)
    const requester = { person, role: 'member' as const }
    const addMessage = (draft: NewEntry) => room.record(draft)
    const context: ToolContext = {
      ...base,
      room: room.name,
      chat: { messages: [], turn: caller },
      requester,
      addMessage,
    }
    return Object.assign(
      async (id: string, args: object = {}) =>
        (
          await callTool(
            tools.find((tool) => tool.id === id)!,
            args,
            context,
          )
        ).content,
      { currentRoom: caller.currentRoom, asked: base.asked },
    )
  }
  const texts = async (room: typeof lobby) =>
    (await room.history({ limit: 99, kinds: ['message', 'notice'] })).map((entry) => entry.text)
  return { ...chatParts, alice, bob, lobby, attic, den, turn, texts }
}

it('sshawl_exits hides an exit to a private room unless all readers of the call are its members', async () => {
  const { turn, alice, bob, den, rooms, lobby } = await house()
  expect(await turn(bob)('sshawl_exits')).toBe('north: attic')
  expect(await turn(alice)('sshawl_exits')).toBe('north: attic')
  expect(await turn(alice, den)('sshawl_exits', { room: 'lobby' })).toBe('down: den\nnorth: attic')
  expect(await rooms.exits.list(lobby.name, { viewer: alice })).toHaveLength(2)
  expect(await rooms.exits.list(lobby.name, { viewer: bob })).toHaveLength(1)
})

it('sshawl_exits omits invalid exits and exits to missing rooms', async () => {
  const { storage, lobby, turn, bob } = await house()
  const strange = { up: 'nowhere', 'a b': 'attic', east: 7, west: 'attic', __proto__: null, '': 'attic' }
  await storage.chat.rooms.setValue(lobby.name, 'exits', strange)
  expect(await turn(bob)('sshawl_exits')).toBe('west: attic')
  for (const wrong of ['north', 5, null, ['attic'], [{ north: 'attic' }]]) {
    await storage.chat.rooms.setValue(lobby.name, 'exits', wrong)
    expect(await turn(bob)('sshawl_exits')).toBe('There are no exits.')
  }
})

it('concurrent new exits are all stored, up to the limit of 32', async () => {
  const { rooms, attic, lobby, bob } = await house()
  const many = Array.from({ length: 40 }, (_, n) => ({ direction: `way-${n}`, room: lobby.name }))
  const done = await Promise.allSettled(many.map((exit) => rooms.exits.open(attic.name, exit)))
  expect(done.filter(({ status }) => status === 'rejected')).toHaveLength(9)
  expect(await rooms.exits.list(attic.name, { viewer: bob })).toHaveLength(32)
})

it.each(['', 'North', 'a b', 'x'.repeat(33), '../up', 'nörd'])(
  'an exit is refused in the direction %j',
  async (direction) => {
    const { rooms, attic, lobby } = await house()
    await expect(rooms.exits.open(attic.name, { direction, room: lobby.name })).rejects.toThrow(
      'cannot be a direction',
    )
  },
)

it('a model acts in the room that it walked to until it leaves, on behalf of its requester', async () => {
  const { turn, alice, lobby, attic, texts } = await house()
  const call = turn(alice)
  expect(await call('sshawl_go', { direction: 'North' })).toMatch(/^Room: attic\n/)
  expect(await call('sshawl_exits')).toBe('south: lobby')
  expect(await call('sshawl_say', { text: 'hello up here' })).toBe('Said in attic.')
  expect(await call('sshawl_leave')).toMatch(/^Room: lobby\n/)
  expect(await call('sshawl_say', { text: 'back again' })).toBe('Said in lobby.')
  expect(await texts(attic)).toEqual(['(for alice) hello up here'])
  expect(await texts(lobby)).toEqual(['back again'])
  expect(call.asked.map(({ room, target, detail }) => [room, target, detail])).toEqual([
    ['lobby', 'attic: hello up here', 'in the room attic:\nhello up here'],
    ['lobby', 'lobby: back again', 'back again'],
  ])
})

it.each(['lobby', 'attic'])('a model cannot walk while nav is off in %s', async (closed) => {
  const { turn, alice, rooms, texts, attic } = await house()
  await rooms.exits.setNav(name(closed), false)
  const call = turn(alice)
  const refusal = `models may not walk from lobby to attic: nav is off in ${closed}`
  expect(await call('sshawl_go', { direction: 'north' })).toBe(`ERROR: sshawl_go: ${refusal}`)
  expect(await call('sshawl_join', { room: 'attic' })).toBe(`ERROR: sshawl_join: ${refusal}`)
  expect(await call('sshawl_say', { text: 'hi', room: 'attic' })).toBe(`ERROR: sshawl_say: ${refusal}`)
  expect(call.currentRoom.name).toBe('lobby')
  expect(call.asked).toEqual([])
  expect(await texts(attic)).toEqual([])
})

it('a walking model can no longer act in a room if nav is turned off during its request', async () => {
  const { turn, alice, lobby, rooms, attic, texts } = await house()
  const call = turn(alice, lobby, async () => {
    await rooms.exits.setNav(attic.name, false)
    return 'allow'
  })
  await call('sshawl_join', { room: 'attic' })
  expect(await call('sshawl_note', { text: 'remember' })).toContain('nav is off in attic')
  expect(call.asked).toHaveLength(1)
  expect(await call('sshawl_note')).toBe('There are no notes.')
  expect(await texts(attic)).toEqual([])
})

it.each([
  ['sshawl_go', { direction: 'down' }, { direction: 'gone' }],
  ['sshawl_join', { room: 'den' }, { room: 'gone' }],
])('%s does not reveal a private room to a call from a public room', async (id, hidden, missing) => {
  const { turn, alice, bob } = await house()
  for (const person of [alice, bob]) {
    const [first, second] = [await turn(person)(id, hidden), await turn(person)(id, missing)]
    expect(first).toMatch(/^ERROR: /)
    expect(first.replaceAll(/down|den/g, 'gone')).toBe(second)
  }
})

it('a model walks to another private room only if all its readers are members there', async () => {
  const { turn, alice, bob, den, rooms, storage } = await house()
  const cellar = await rooms.create('cellar', alice, { private: true })
  await rooms.exits.setNav(cellar.name, true)
  expect(await turn(alice, den)('sshawl_join', { room: 'cellar' })).toMatch(/^Room: cellar \(private\)/)
  await storage.chat.rooms.setMembership(den.name, bob.id, 'invited')
  expect(await turn(alice, den)('sshawl_join', { room: 'cellar' })).toMatch(/^ERROR: .*no room called cellar/)
})

it('a call without a turn cannot walk, but can speak in a room without nav', async () => {
  const { rooms, storage, alice, attic, texts } = await house()
  await rooms.exits.setNav(attic.name, false)
  const tools = new Map(
    roomTools({ rooms, log: storage.chat.entries, store: storage.chat.rooms }).map((tool) => [tool.id, tool]),
  )
  const context = {
    ...contextFor({} as ToolContext['workspace']),
    requester: { person: alice, role: 'member' as const },
  }
  expect((await callTool(tools.get('sshawl_go')!, { direction: 'north' }, context)).content).toBe(
    'ERROR: sshawl_go: only a model in its turn walks; people use go and join',
  )
  await callTool(tools.get('sshawl_say')!, { text: 'hi', room: 'attic' }, context)
  expect(await texts(attic)).toEqual(['hi'])
})

it('sshawl_create makes a room owned by the requester only after it was allowed', async () => {
  const { turn, bob, rooms } = await house()
  expect(await turn(bob, undefined, 'deny')('sshawl_create', { name: 'shed' })).toBe(
    'ERROR: Permission denied: make the room shed?',
  )
  const call = turn(bob)
  expect(await call('sshawl_create', { name: 'shed' })).toBe('Made shed, owned by bob.')
  expect(call.asked[0]).toMatchObject({ detail: 'make the room shed, owned by bob' })
  expect(await (await rooms.get('shed', bob)).roleOf(bob)).toBe('owner')
  expect(await call('sshawl_create', { name: 'shed' })).toContain('the name shed is taken')
  expect(await call('sshawl_create', { name: 'A b' })).toContain('cannot be a room')
})

it('sshawl_create makes a private room only from a private room', async () => {
  const { turn, alice, den, rooms } = await house()
  const refused = await turn(alice)('sshawl_create', { name: 'vault', private: true })
  expect(refused).toContain('a private room cannot be made from lobby')
  await expect(rooms.get('vault', alice)).rejects.toThrow('there is no room called vault')
  await turn(alice, den)('sshawl_create', { name: 'vault', private: true })
  expect((await (await rooms.get('vault', alice)).info()).private).toBe(true)
})

it('sshawl_fork copies the settings and the privacy of its room', async () => {
  const { turn, alice, den, rooms, storage } = await house()
  await storage.chat.rooms.update(den.name, { vibe: 'hushed' })
  await storage.chat.rooms.setValue(den.name, 'tool_scope', ['look'])
  await den.record({ kind: 'message', author: 'alice', text: 'my secret' })
  expect(await turn(alice, den)('sshawl_fork', { name: 'lair' })).toBe('Made lair, owned by alice.')
  const lair = await rooms.get('lair', alice)
  expect(await lair.info()).toMatchObject({ vibe: 'hushed', private: true, owner: alice.id })
  expect(await storage.chat.rooms.getValue(lair.name, 'tool_scope')).toEqual(['look'])
  expect(await lair.history({ limit: 9 })).toEqual([])
})

it('concurrent notes are all stored', async () => {
  const { turn, bob } = await house()
  const call = turn(bob)
  await Promise.all([1, 2, 3].map((n) => call('sshawl_note', { text: `note ${n}\nin two lines` })))
  expect(await call('sshawl_note')).toBe([1, 2, 3].map((n) => `note ${n} in two lines`).join('\n'))
})

it('sshawl_note refuses too long or too many notes and keeps an invalid stored value', async () => {
  const { turn, bob, storage, lobby } = await house()
  const call = turn(bob)
  expect(await call('sshawl_note', { text: ' \u200b' })).toContain('nothing to note')
  expect(await call('sshawl_note', { text: 'x'.repeat(501) })).toContain('too long')
  await storage.chat.rooms.setValue(
    lobby.name,
    'notes',
    Array.from({ length: 100 }, () => 'n'),
  )
  expect(await call('sshawl_note', { text: 'one more' })).toContain('has 100 notes')
  await storage.chat.rooms.setValue(lobby.name, 'notes', { mine: true })
  expect(await call('sshawl_note', { text: 'one more' })).toContain('is no list of lines')
  expect(await storage.chat.rooms.getValue(lobby.name, 'notes')).toEqual({ mine: true })
})

it('only a manager can set the vibe of a room, after a permission request', async () => {
  const { turn, alice, bob, attic, texts } = await house()
  expect(await turn(bob, attic)('sshawl_vibe', { text: 'wild' })).toContain('only the owner of attic')
  expect(await turn(alice, attic, 'deny')('sshawl_vibe', { text: 'wild' })).toContain('Permission denied')
  expect(await turn(bob, attic)('sshawl_vibe')).toBe('No vibe is set.')
  expect(await turn(alice, attic)('sshawl_vibe', { text: 'calm' })).toBe('The vibe of attic is now: calm')
  expect((await attic.info()).vibe).toBe('calm')
  expect(await texts(attic)).toEqual(['qwen, for alice, set the vibe: calm'])
})
