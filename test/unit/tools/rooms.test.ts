import { expect, it } from 'vitest'
import type { NewEntry } from '../../../src/words/entry.ts'
import type { Person } from '../../../src/words/person.ts'
import { roomTools } from '../../../src/turns/room-tools/index.ts'
import type { ToolContext } from '../../../src/tools/context.ts'
import { createChatParts, screenOf } from '../../support/chat-parts.ts'
import { contextFor, turnIn } from './context.ts'
import { callTool } from '../../support/call-tool.ts'

const noWorkspace = {} as ToolContext['workspace']

/** Alice and bob in the lobby; alice's private room `den`, in which she spoke. */
async function world() {
  const chatParts = await createChatParts()
  const alice = await chatParts.person('alice')
  const bob = await chatParts.person('bob')
  const lobby = await chatParts.rooms.lobby()
  const den = await chatParts.rooms.create('den', alice, { private: true })
  await lobby.enter(screenOf(alice))
  await lobby.enter(screenOf(bob))
  await den.record({ kind: 'message', author: 'alice', text: 'my secret\nin two lines' })
  const { rooms, storage } = chatParts
  const tools = roomTools({
    rooms,
    log: storage.chat.entries,
    store: storage.chat.rooms,
    models: { names: () => ['qwen'] },
  })

  /** Runs a tool in the lobby for somebody. */
  async function run(id: string, args: object, person: Person, change: Partial<ToolContext> = {}) {
    const context = {
      ...contextFor(noWorkspace),
      requester: { person, role: 'member' as const },
      addMessage: (draft: NewEntry) => lobby.record(draft),
      ...change,
    }
    const result = await callTool(
      tools.find((tool) => tool.id === id)!,
      args,
      context,
    )
    return result.content
  }
  return { run, alice, bob, lobby, den }
}

/** Every call that could tell something of a room. */
const reading: readonly (readonly [id: string, args: object])[] = [
  ['sshawl_look', {}],
  ['sshawl_who', {}],
  ['sshawl_history', {}],
  ['sshawl_search', { words: 'secret' }],
  ['sshawl_exits', {}],
  ['sshawl_vibe', {}],
  ['sshawl_note', {}],
  ['sshawl_say', { text: 'hi' }],
]

it('the room tools have write access only for changes', async () => {
  const { rooms, storage } = await createChatParts()
  const tools = roomTools({ rooms, log: storage.chat.entries, store: storage.chat.rooms })
  expect(tools.map(({ id, access }) => [id, access])).toEqual([
    ['sshawl_look', 'read'],
    ['sshawl_who', 'read'],
    ['sshawl_rooms', 'read'],
    ['sshawl_history', 'read'],
    ['sshawl_search', 'read'],
    ['sshawl_say', 'write'],
    ['sshawl_vibe', 'write'],
    ['sshawl_exits', 'read'],
    ['sshawl_go', 'read'],
    ['sshawl_join', 'read'],
    ['sshawl_leave', 'read'],
    ['sshawl_create', 'write'],
    ['sshawl_fork', 'write'],
    ['sshawl_note', 'write'],
    ['sshawl_remind', 'write'],
    ['sshawl_remember', 'write'],
  ])
})

it('the look and who tools describe the room of the call', async () => {
  const { run, bob } = await world()
  expect(await run('sshawl_look', {}, bob)).toBe('Room: lobby\nPeople here: alice, bob\nModels: @qwen')
  expect(await run('sshawl_who', {}, bob)).toBe('alice (member)\nbob (member)\n@qwen (model)')
})

it('the room tools show a private room only to its members, and hide its existence from others', async () => {
  const { run, alice, bob, den } = await world()
  const inside = { room: den.name }
  expect(await run('sshawl_rooms', {}, alice, inside)).toBe('den (private)\nlobby')
  expect(await run('sshawl_rooms', {}, bob)).toBe('lobby')
  expect(await run('sshawl_history', {}, alice, inside)).toContain('alice: my secret\n  in two lines')
  expect(await run('sshawl_search', { words: 'SECRET alice' }, alice, inside)).toContain('my secret')
  for (const [id, args] of reading) {
    const hidden = await run(id, { ...args, room: 'den' }, bob)
    const missing = await run(id, { ...args, room: 'nix' }, bob)
    expect(hidden).toMatch(/^ERROR: /)
    expect(hidden.replaceAll('den', 'nix')).toBe(missing)
  }
})

it('the room tools hide a private room if a member calls them in a public room', async () => {
  const { run, alice } = await world()
  expect(await run('sshawl_rooms', {}, alice)).toBe('lobby')
  for (const [id, args] of reading) {
    const hidden = await run(id, { ...args, room: 'den' }, alice)
    const missing = await run(id, { ...args, room: 'nix' }, alice)
    expect(hidden.replaceAll('den', 'nix')).toBe(missing)
  }
})

it('the history tool reads back page by page without a gap', async () => {
  const { run, alice, lobby } = await world()
  for (let n = 1; n <= 5; n++) await lobby.record({ kind: 'message', author: 'bob', text: `line ${n}` })
  const newest = await run('sshawl_history', { limit: 2 }, alice)
  expect(newest).toMatch(/^\(older: before \w+\)\n.* bob: line 4\n.* bob: line 5$/)
  const before = /before (\w+)/.exec(newest)![1]
  expect(await run('sshawl_history', { limit: 2, before }, alice)).toMatch(/bob: line 2\n.* bob: line 3$/)
  expect(await run('sshawl_history', { limit: 0 }, alice)).toBe(
    'ERROR: sshawl_history: limit must be between 1 and 200, got 0',
  )
})

it('the say tool posts as the model only after it was allowed', async () => {
  const { run, alice, lobby } = await world()
  expect(
    await run('sshawl_say', { text: 'hello\u001b[2J' }, alice, {
      chat: { messages: [], turn: turnIn(lobby.name) },
    }),
  ).toBe('Said in lobby.')
  const [said] = await lobby.history({ limit: 1, kinds: ['message'] })
  expect(said).toMatchObject({ author: 'qwen', text: expect.stringMatching(/^hello[^\u001b]*$/) as string })
  const denied = contextFor(noWorkspace, 'deny').permissions
  expect(await run('sshawl_say', { text: 'no' }, alice, { permissions: denied })).toBe(
    'ERROR: Permission denied: say in lobby?',
  )
  expect(await lobby.history({ limit: 9, kinds: ['message'] })).toHaveLength(1)
})

it.each([
  [{ text: '' }, 'there is nothing to say: the message is empty'],
  [{ text: '\u200b' }, 'there is nothing to say: the message is empty'],
  [{ text: 'x'.repeat(4001) }, 'the message has 4001 characters and 4000 are allowed; nothing was sent'],
  [{}, 'text is required (a string)'],
])('the say tool refuses %j', async (args, message) => {
  const { run, alice } = await world()
  expect(await run('sshawl_say', args, alice)).toBe(`ERROR: sshawl_say: ${message}`)
})
