import { expect, it } from 'vitest'
import { Refusal } from '../../../../src/words/errors.ts'
import type { Fingerprint, Person, PersonId } from '../../../../src/words/person.ts'
import { createTokenQuotas } from '../../../../src/turns/billing.ts'
import { sampleConfig } from '../../../support/model-request.ts'
import { call, say, scriptedModel } from '../../../support/scripted-model.ts'
import { createTurnWorld, tool, type TurnWorld, type WorldOptions } from '../../../support/turn-world.ts'

const HOUR_MS = 3_600_000

/** Not the offline helper, which uses nothing. */
const COUNTED = { backend: 'openai-compatible' } as const

/** A model whose every turn uses 11 tokens. */
const talker = () => scriptedModel(...Array.from({ length: 6 }, () => say('yes')))

const counted = (limits: WorldOptions['limits'], model = talker()) =>
  createTurnWorld(model, { settings: COUNTED, limits })

/** Two turns of 11 tokens each, an hour apart, and another hour. */
async function spendTwice(world: TurnWorld): Promise<void> {
  for (let turn = 0; turn < 2; turn++) {
    await world.ask()
    world.chatParts.clock.advance(HOUR_MS)
  }
}

it("a turn over the person's quota is refused with the quota's name, the use and the waiting time", async () => {
  const model = talker()
  await using world = await counted({ tokens_per_person_day: 22 }, model)
  await spendTwice(world)
  const refused = world.start()
  await expect(refused).rejects.toThrow(Refusal)
  await expect(refused).rejects.toThrow(
    'the quota of ann (tokens_per_person_day) is used up: 22 of 22 tokens in 24 hours; ask again in 22h',
  )
  expect(model.requests).toHaveLength(2)
})

it('a turn may exceed the quota, and the person can ask again when enough tokens are a day old', async () => {
  await using world = await counted({ tokens_per_person_day: 12 })
  await spendTwice(world)
  await expect(world.start()).rejects.toThrow('22 of 12 tokens in 24 hours; ask again in 22h')
  world.chatParts.clock.advance(22 * HOUR_MS - 1)
  await expect(world.start()).rejects.toThrow('ask again in 1ms')
  world.chatParts.clock.advance(1)
  expect(await world.ask()).toMatchObject({ kind: 'reply', text: 'yes' })
})

it('the waiting time of a refusal covers all turns that must expire to get below the quota', async () => {
  await using world = await counted({ tokens_per_person_day: 11 })
  const { charges } = world.chatParts.storage.models
  const facts = {
    room: 'lobby',
    model: 'qwen',
    person: 'ann',
    payers: [`person ${world.ann.id}`],
    opensTurn: true,
    usage: { input: 4, output: 1 },
  }
  const now = world.chatParts.clock.now()
  for (const hour of [1, 2, 3]) await charges.add({ ...facts, at: now - hour * HOUR_MS })
  await expect(world.start()).rejects.toThrow('15 of 11 tokens in 24 hours; ask again in 21h')
})

it('a turn stops before its next request if the quota is used up, and its tool result stays logged', async () => {
  const model = scriptedModel(say('hm'), call(['echo', { q: 'x' }]), say('never asked'))
  await using world = await createTurnWorld(model, {
    tools: [tool('echo')],
    settings: COUNTED,
    limits: { tokens_per_person_day: 22 },
  })
  await world.ask()
  expect(await world.ask()).toMatchObject({
    kind: 'notice',
    text: '@qwen was stopped: the quota of ann (tokens_per_person_day) is used up: 22 of 22 tokens in 24 hours; ask again in 1d',
  })
  expect(model.requests).toHaveLength(2)
  expect((await world.lines()).at(-2)).toBe('tool_result: {"q":"x"}')
  expect(await world.chatParts.storage.models.turns.last('lobby')).toMatchObject({
    outcome: 'stopped',
    usage: { input: 10, output: 1 },
  })
})

it('a used-up quota of one person does not affect another person', async () => {
  await using world = await counted({ tokens_per_person_day: 10 })
  await world.ask()
  const bob = await world.chatParts.person('bob')
  expect((await (await world.start('hi', { by: bob })).done).kind).toBe('reply')
  await expect(world.start()).rejects.toThrow('ann (tokens_per_person_day) is used up: 11 of 10')
})

const from = (person: Person, key: string, network = '192.0.2.1'): Person => ({
  ...person,
  login: { key: key as Fingerprint, network },
})

it('all names of a key share one quota, guests included', async () => {
  await using world = await counted({ tokens_per_person_day: 11 })
  const [bob, bobby] = [await world.chatParts.person('bob'), await world.chatParts.person('bobby')]
  const guest: Person = { ...bob, id: 'guest:one:bob-2' as PersonId, name: 'bob-2', guest: true }
  await (
    await world.start('hi', { by: from(bob, 'one') })
  ).done
  for (const other of [bobby, guest])
    await expect(world.start('hi', { by: from(other, 'one') })).rejects.toThrow(
      `the quota of all names of ${other.name}'s key (tokens_per_person_day) is used up: 11 of 11 tokens`,
    )
  const turn = await world.start('hi', { by: from(bobby, 'two') })
  expect(await turn.done).toMatchObject({ kind: 'reply' })
  await expect(world.start('hi', { by: from(bobby, 'three') })).rejects.toThrow('the quota of bobby')
})

it('all keys of a network share a quota of 64 people', async () => {
  await using world = await counted({ tokens_per_person_day: 11 })
  const { charges } = world.chatParts.storage.models
  const facts = { room: 'den', model: 'qwen', person: 'x', payers: ['network 192.0.2.1'], opensTurn: true }
  const usage = { input: 63 * 11, output: 11 }
  await charges.add({ ...facts, usage, at: world.chatParts.clock.now() })
  const refused = world.start('hi', { by: from(world.ann, 'new') })
  await expect(refused).rejects.toThrow(
    "the quota of all who come from ann's network (64 times tokens_per_person_day) is used up: 704 of 704",
  )
  const elsewhere = await world.start('hi', { by: from(world.ann, 'new', '192.0.2.2') })
  expect(await elsewhere.done).toMatchObject({ kind: 'reply' })
})

it('the quota of a room counts the turns of all people in it', async () => {
  await using world = await counted({ tokens_per_room_day: 20 })
  await world.ask()
  const bob = await world.chatParts.person('bob')
  await (
    await world.start('hi', { by: bob })
  ).done
  await expect(world.start()).rejects.toThrow(
    'the quota of lobby (tokens_per_room_day) is used up: 22 of 20 tokens in 24 hours; ask again in 1d',
  )
})

it('a quota of 0 is off and does not query the store', async () => {
  const asked = () => Promise.reject(new Error('asked'))
  const store = { spent: asked, spending: asked }
  const limits = { tokens_per_person_day: 0, tokens_per_room_day: 0 }
  await createTokenQuotas(store, { now: () => 0 }, limits)('lobby', { id: 'p1' as PersonId, name: 'ann' })
})

it('the offline helper answers a person whose quota is used up', async () => {
  const guide = scriptedModel(say('this is how to begin'))
  const settings = sampleConfig({ name: 'guide', backend: 'guide' })
  await using world = await createTurnWorld(talker(), {
    settings: COUNTED,
    limits: { tokens_per_person_day: 11, tokens_per_room_day: 11 },
    more: [{ settings, adapter: guide }],
  })
  await world.ask()
  await expect(world.start()).rejects.toThrow('is used up')
  const { room, ann: requester } = world
  const message = { kind: 'message', author: 'ann', text: '@guide help' } as const
  const turn = await world.turns.start({
    room,
    requester,
    model: 'guide',
    message: await room.record(message),
  })
  expect(await turn.done).toMatchObject({ kind: 'reply', text: 'this is how to begin' })
})
