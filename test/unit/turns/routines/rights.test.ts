import { expect, test } from 'vitest'
import type { Sanction } from '../../../../src/chat/moderation/ports.ts'
import type { Fingerprint, Login } from '../../../../src/words/person.ts'
import { createRoutineWorld, type RoutineWorld } from '../../../support/routine-world.ts'
import { say, scriptedModel } from '../../../support/scripted-model.ts'
import { tool } from '../../../support/turn-world.ts'

const MINUTE_MS = 60_000
const HOUR_MS = 3_600_000

const sanction = (
  { ann, room, clock }: RoutineWorld,
  kind: 'ban' | 'mute',
  more: Partial<Sanction> = {},
): Sanction => ({
  ...{ id: '01S', kind, room: room.name, who: ann.name, people: [ann.id], keys: [] },
  ...{ network: null, reason: '', by: 'root', at: clock.now(), until: null },
  ...more,
})

/** ann's token, which no store has any more. */
const ENDED_TOKEN: Login = {
  key: 'SHA256:ann' as Fingerprint,
  network: '192.0.2.1',
  token: { id: 7, until: Date.UTC(2027, 0, 1) },
}

/** What befalls ann after her hourly routine was made, and what becomes of it. */
const BEFALLS: readonly (readonly [
  string,
  (world: RoutineWorld) => Promise<unknown>,
  'paused' | 'ended',
  RegExp,
])[] = [
  ['is muted', (world) => world.sanctions.put(sanction(world, 'mute')), 'paused', /you are muted/],
  [
    'is banned from the server',
    (world) => world.sanctions.put(sanction(world, 'ban', { room: null })),
    'paused',
    /ann is banned/,
  ],
  [
    'has a second key that is banned',
    async (world) => {
      const second = 'SHA256:second' as Fingerprint
      await world.storage.chat.keys.add(world.ann.id, second, world.clock.now(), 9)
      await world.storage.chat.keys.prove(world.ann.id, second)
      await world.sanctions.put(sanction(world, 'ban', { room: null, people: [], keys: [second] }))
    },
    'paused',
    /ann is banned/,
  ],
  [
    'may not make it any more',
    async (world) => (world.policy.allow = { every: 'ops' }),
    'paused',
    /ann may not make it any more: only ops/,
  ],
  [
    'has used up the quota of tokens',
    async (world) => {
      await world.world.ask()
      world.limits.tokens_per_person_day = 5
    },
    'paused',
    /is used up: \d+ of 5 tokens in 24 hours/,
  ],
  [
    'has no model to ask any more',
    async (world) => void world.world.models.pop(),
    'paused',
    /there is no model @qwen now/,
  ],
]

test.each(BEFALLS)('an hourly routine of a person who %s is silent', async (_case, befall, state, why) => {
  const settings = { backend: 'openai-compatible', endpoint: 'http://127.0.0.1:1' } as const
  const model = scriptedModel(say('one'), say('two'))
  await using world = await createRoutineWorld(model, { settings })
  world.engine.start()
  const condition = { kind: 'calendar', spec: { every: 'interval', ms: HOUR_MS } } as const
  const made = await world.make({ condition })
  await befall(world)
  world.clock.advance(HOUR_MS)
  await expect.poll(async () => (await world.stored(made)).state).toBe(state)
  expect((await world.stored(made)).reason).toMatch(why)
  expect(world.said()).toEqual([])
  await world.until(() => world.rung.length === 1)
  world.clock.advance(HOUR_MS)
  await expect
    .poll(async () => (await world.stored(made)).nextAt ?? Infinity)
    .toBeGreaterThan(world.clock.now())
  expect(world.rung, 'the person is told once').toHaveLength(1)
})

test('a routine in a private room is paused if its person is uninvited', async () => {
  await using world = await createRoutineWorld(scriptedModel())
  const { rooms, person } = world.world.chatParts
  const bob = await person('bob')
  const den = await rooms.create('den', bob, { private: true })
  await world.storage.chat.rooms.setMembership(den.name, world.ann.id, 'member')
  world.engine.start()
  const made = await world.make({ room: den, text: 'lunch' })
  await world.storage.chat.rooms.setMembership(den.name, world.ann.id, null)
  world.clock.advance(MINUTE_MS)
  await expect.poll(async () => (await world.stored(made)).state).toBe('paused')
  expect(await den.history({ limit: 9, kinds: ['message'] })).toEqual([])
})

test('a watch of an op is paused after the op lost the rights of an op', async () => {
  await using world = await createRoutineWorld(scriptedModel())
  const { rooms, person } = world.world.chatParts
  const bob = await person('bob')
  const hall = await rooms.create('hall', bob, { private: false })
  const set = world.storage.chat.rooms.setMembership
  await set(hall.name, world.ann.id, 'op')
  world.engine.start()
  const condition = { kind: 'line', words: 'fire', model: 'qwen' } as const
  const made = await world.make({ room: hall, condition, text: 'why?' })
  await set(hall.name, world.ann.id, 'member')
  await world.speech.say(hall, bob, 'fire')
  await expect.poll(async () => (await world.stored(made)).state).toBe('paused')
  expect((await world.stored(made)).reason).toMatch(/^ann may not make it any more: only ops/)
})

test('a guest cannot make a routine', async () => {
  await using world = await createRoutineWorld(scriptedModel())
  const guest = { ...world.ann, name: 'ann-2', guest: true }
  await expect(world.make({}, guest)).rejects.toThrow(/a guest has no routines/)
})

test('a line of a guest does not start a watch', async () => {
  await using world = await createRoutineWorld(scriptedModel())
  world.policy.allow = { watch: 'members' }
  world.engine.start()
  await world.make({ condition: { kind: 'line', words: 'fire', model: 'qwen' }, text: 'why?' })
  const by = 'guest:SHA256:zoe' as typeof world.ann.id
  await world.room.record({ kind: 'message', author: 'zoe', by, text: 'fire' })
  expect(world.said()).toEqual([])
})

test('a routine that was made with a token ends with the token', async () => {
  await using world = await createRoutineWorld(scriptedModel())
  world.engine.start()
  const made = await world.make({ text: 'lunch' }, { ...world.ann, login: ENDED_TOKEN })
  world.clock.advance(MINUTE_MS)
  await expect.poll(async () => (await world.stored(made)).state).toBe('ended')
  expect((await world.stored(made)).reason).toBe('the token that made it has ended')
  expect(world.said()).toEqual([])
})

test('a run is offered no tool that the room excluded after the routine was made', async () => {
  const model = scriptedModel(say('done'))
  const tools = ['ls', 'rm', 'cp'].map((id) => tool(id))
  await using world = await createRoutineWorld(model, { tools })
  world.engine.start()
  await world.make({ scope: ['ls', 'rm'] })
  await world.world.setScope(['ls', 'cp'])
  world.clock.advance(MINUTE_MS)
  await world.until(() => world.outcomes.length === 1)
  expect(model.requests[0]?.tools?.map(({ name }) => name)).toEqual(['ls'])
})
