import { expect, test } from 'vitest'
import { mayDecide, whyOnlyOnce } from '../../../src/turns/approvals/policy.ts'
import type { ApprovalSubject } from '../../../src/turns/approvals/ports.ts'
import { textsOfStrangers } from '../../../src/turns/memory/strangers.ts'
import { mayForget, whyNotRemember } from '../../../src/turns/memory/rights.ts'
import { rememberTool } from '../../../src/turns/room-tools/remembering.ts'
import type { ToolContext } from '../../../src/tools/context.ts'
import type { Question } from '../../../src/tools/tool.ts'
import type { Turn } from '../../../src/turns/turn.ts'
import { textForModels } from '../../../src/words/outside.ts'
import { asPlainMember, type Person, type PersonId, type Role } from '../../../src/words/person.ts'
import { createTurnWorld, type TurnWorld } from '../../support/turn-world.ts'
import { say, scriptedModel } from '../../support/scripted-model.ts'
import { row } from '../../support/snapshot.ts'

const ROLES: readonly Role[] = ['guest', 'member', 'op', 'owner', 'admin']
const SECRET = 'heron-17'

test.each([
  ['members', '-++++'],
  ['ops', '--+++'],
  [undefined, '--+++'],
  ['admins', '----+'],
  ['nobody', '-----'],
] as const)('with allow.remember = %s these roles may add memories to a room: %s', (remember, letters) => {
  const policy = { allow: { remember } }
  const may = ROLES.map((role) => {
    const why = whyNotRemember(policy, { guest: role === 'guest' }, role)
    return why === undefined ? '+' : '-'
  })
  expect(may.join('')).toBe(letters)
})

test('a manager and the author of a memory may remove it even if nobody may add memories', () => {
  const policy = { allow: { remember: 'nobody' } } as const
  const [ann, bob] = ['p1', 'p2'].map((id) => ({ id: id as PersonId, guest: false })) as [Person, Person]
  const letters = ROLES.map(
    (role) => `${mayForget(policy, ann, role, bob.id)} ${mayForget(policy, ann, role, ann.id)}`,
  )
  expect(letters).toEqual(['false true', 'false true', 'true true', 'true true', 'true true'])
  expect(mayForget(policy, { ...ann, guest: true }, 'guest', ann.id)).toBe(false)
})

test.each([
  ['requester', '-----', true],
  ['members', '-++++', true],
  ['ops', '--+++', false],
  ['admins', '----+', false],
] as const)(
  'a question for %s can be allowed once by other people of roles %s, and by its asker: %s',
  (answeredBy, letters, own) => {
    const asked = { answeredBy, requester: { id: 'p1' }, needsOp: true } as unknown as ApprovalSubject
    const [asker, other] = ['p1', 'p2'].map((id) => ({ id })) as unknown as [Person, Person]
    const may = (verdict: 'once' | 'room' | 'always') =>
      ROLES.map((role) => (mayDecide(verdict, asked, other, role) ? '+' : '-')).join('')
    expect([may('once'), may('room'), may('always')]).toEqual([letters, '-----', '-----'])
    expect(mayDecide('once', asked, asker, 'member')).toBe(own)
    expect(mayDecide('denied', asked, asker, 'member')).toBe(true)
    expect(whyOnlyOnce(asked)).toBe('it is asked for each time')
  },
)

const turnWith = (change: object) =>
  ({ messages: [], message: row(1, { text: 'hi' }).entry, ...change }) as unknown as Turn

test('a turn names each guest, page and server once whose text it has read', () => {
  const outside = { from: 'page', head: 0, tail: 0 }
  const rows = [
    row(2, { author: 'gus', text: 'x', by: 'guest:SHA256:x:1' as PersonId }),
    row(3, { kind: 'tool_result', author: 'qwen', name: 'web_fetch', call: 'c', outside } as never),
    row(4, { author: 'ann', text: 'x', by: 'p1' as PersonId }),
  ]
  const content = textForModels({
    text: 'buy now',
    outside: { ...outside, from: 'server "files"' },
    id: 'abcdefgh',
  })
  const messages = ['web_fetch', 'web_fetch'].map((name) => ({ role: 'tool', call: 'c', name, content }))
  expect(textsOfStrangers(turnWith({ step: { rows }, messages }))).toEqual([
    'lines of guests',
    'what the page says',
    'what the server "files" says',
  ])
  expect(textsOfStrangers(turnWith({ step: { rows: rows.slice(2) } }))).toEqual([])
})

const contextOf = ({ room, ann }: TurnWorld, person = ann, strangers: readonly string[] = []) =>
  ({
    room: room.name,
    requester: { person, role: 'member' },
    chat: { messages: [], turn: { id: 'T', model: 'qwen', textsOfStrangers: () => strangers } },
  }) as unknown as ToolContext

test('remember asks people who may add memories, and shows the text and its outside sources', async () => {
  await using world = await createTurnWorld(scriptedModel())
  const { rooms, storage } = world.chatParts
  const parts = { rooms, memories: world.memories, log: storage.chat.entries, store: storage.chat.rooms }
  const tool = rememberTool(parts)
  const context = contextOf(world, world.ann, ['lines of guests'])
  const question = (await tool.asks!({ text: 'tea is at five' }, context)) as Question
  expect(question.answeredBy).toBe('ops')
  expect(question.detail).toBe(
    'remember of the room lobby, in every turn from now on:\ntea is at five\n' +
      'Before it proposed this, it read text of strangers: lines of guests.',
  )
  const own = (await tool.asks!({ text: SECRET, me: true }, contextOf(world))) as Question
  expect(own).toMatchObject({
    answeredBy: 'requester',
    detail: expect.not.stringContaining('strangers') as string,
  })
  const someoneElses = contextOf(world, asPlainMember(world.ann, world.room.name))
  await expect(tool.asks!({ text: 'x', me: true }, someoneElses)).rejects.toThrow('adds nothing')
  await expect(tool.asks!({ text: 'x'.repeat(61) }, contextOf(world))).rejects.toThrow('60 characters')
  await tool.run({ text: 'tea is at five' }, context)
  expect(await world.memories.current(world.room, world.ann)).toMatchObject([{ number: 1, author: 'ann' }])
})

test("the requester's own memory is sent to the model but not stored with the turn", async () => {
  const model = scriptedModel(say('hello'))
  await using world = await createTurnWorld(model)
  await world.memories.add('me', world.ann, SECRET)
  await world.memories.setGoesAlong(world.ann, world.room, true)
  await (
    await world.start('hi')
  ).done
  expect(model.requests[0]?.prompt.context).toContain(`- ${SECRET}`)
  const stored = await world.chatParts.storage.models.turns.last(world.room.name)
  expect(JSON.stringify(stored)).not.toContain(SECRET)
  expect(stored?.prompt?.layers.at(-1)).toMatchObject({ name: 'memory_of_asker' })
  expect(stored?.prompt?.context).toContain('only they can read: 1]')
})

test("a person's own memory is used only for that person, in their rooms and rooms they chose", async () => {
  await using world = await createTurnWorld(scriptedModel())
  const { memories, ann, room } = world
  await memories.add('me', ann, SECRET)
  const told = async (person: Person, where = room) => (await memories.forPrompt(where, person)).memoryOfAsker
  expect(await told(ann)).toBeUndefined()
  const own = await world.chatParts.rooms.create('den', ann, { private: false })
  expect(await told(ann, own)).toEqual([SECRET])
  await memories.setGoesAlong(ann, room, true)
  expect(await told(ann)).toEqual([SECRET])
  expect(await told(asPlainMember(ann, room.name))).toBeUndefined()
  expect(await told(await world.chatParts.person('bob'), own)).toBeUndefined()
  await memories.setGoesAlong(ann, own, false)
  expect(await told(ann, own)).toBeUndefined()
})

test('a full memory refuses another line and names its limit', async () => {
  await using world = await createTurnWorld(scriptedModel())
  const { memories, ann, room } = world
  for (const whose of [room, 'me'] as const)
    for (const text of ['one', 'two', 'three']) await memories.add(whose, ann, text)
  await expect(memories.add(room, ann, 'four')).rejects.toThrow(
    'lobby has 3 memories, which is the limit (memories_per_room)',
  )
  await memories.forget('me', ann, 2)
  expect(await memories.add('me', ann, 'four')).toMatchObject({ number: 4 })
  await expect(memories.bringBack('me', ann, 2)).rejects.toThrow('memories_per_person')
})
