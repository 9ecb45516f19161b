import { expect, test } from 'vitest'
import type { RoomName } from '../../../../src/words/entry.ts'
import type { Person } from '../../../../src/words/person.ts'
import { createRoutineWorld, type RoutineWorld } from '../../../support/routine-world.ts'
import { scriptedModel } from '../../../support/scripted-model.ts'

const sanction = (kind: 'ban' | 'mute' | 'archive', room: RoomName | null, people: Person[]) => ({
  ...{ id: `1 ${kind}`, kind, room, who: 'bob', people: people.map(({ id }) => id), keys: [] },
  ...{ network: null, reason: '', by: 'root', at: 0, until: null },
})

/** What happens to bob before his routine is due, and what becomes of it. */
const CASES: readonly (readonly [
  what: string,
  (world: RoutineWorld, bob: Person) => unknown,
  becomes: object,
])[] = [
  [
    'is muted',
    ({ sanctions, room }, bob) => sanctions.put(sanction('mute', room.name, [bob])),
    { state: 'paused' },
  ],
  [
    'is banned',
    ({ sanctions }, bob) => sanctions.put(sanction('ban', null, [bob])),
    { state: 'paused', nextAt: null },
  ],
  [
    'is put out of the room',
    ({ sanctions, room }, bob) => sanctions.put(sanction('ban', room.name, [bob])),
    { state: 'paused', nextAt: null },
  ],
  [
    'has an archived room',
    ({ sanctions, room }) => sanctions.put(sanction('archive', room.name, [])),
    { state: 'paused' },
  ],
  ['loses the right', ({ policy }) => (policy.allow = { remind: 'ops' }), { state: 'paused', nextAt: null }],
  [
    'loses the model',
    ({ world }) => world.models.pop(),
    { state: 'paused', reason: 'there is no model @qwen now' },
  ],
  ['is away for 91 days', ({ clock }) => clock.step(91 * 86_400_000), { state: 'ended' }],
]

test.each(CASES)('a routine of a person who %s asks no model', async (_what, change, becomes) => {
  await using world = await createRoutineWorld(scriptedModel())
  const bob = await world.person('bob')
  const made = await world.make({}, bob)
  await change(world, bob)
  world.clock.step(60_000)
  world.engine.start()
  await world.until(() => world.rung.length === 1)
  expect(await world.stored(made)).toMatchObject(becomes)
  expect(world.said()).toEqual([])
})

test('on a server that strangers can enter, only admins make a routine that asks a model', async () => {
  await using world = await createRoutineWorld(scriptedModel())
  world.policy.isOpen = true
  await expect(world.make()).rejects.toThrow('only admins may use remind with a model here')
  await expect(world.make({ text: 'lunch' })).resolves.toMatchObject({ number: 1 })
})
