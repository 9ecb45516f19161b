import { expect, test } from 'vitest'
import { DAY_MS, HOUR_MS } from '../../../../src/base/amounts.ts'
import type { Sanction } from '../../../../src/chat/moderation/ports.ts'
import type { Routine } from '../../../../src/turns/routines/ports.ts'
import { createRoutineWorld, type RoutineWorld } from '../../../support/routine-world.ts'
import { fail, say, scriptedModel } from '../../../support/scripted-model.ts'

const MINUTE_MS = 60_000
const everyFive = { kind: 'calendar', spec: { every: 'interval', ms: 5 * MINUTE_MS } } as const

/** What somebody allowed in a run of the routine, for good. */
async function grant({ storage, ann, room, clock }: RoutineWorld, { id }: Routine): Promise<void> {
  const who = { person: ann.id, name: ann.name, by: ann.name }
  const what = { room: room.name, tool: 'write_file', target: 'notes', at: clock.now() }
  await storage.tools.grants.put({ ...who, ...what, routine: id })
}

const granted = async ({ storage, room, clock }: RoutineWorld): Promise<number> =>
  (await storage.tools.grants.list(room.name, clock.now())).length

const muted = ({ ann, room, clock }: RoutineWorld, until: number | null): Sanction => ({
  ...{ id: '01M', kind: 'mute', room: room.name, who: ann.name, people: [ann.id], keys: [] },
  ...{ network: null, reason: '', by: 'root', at: clock.now(), until },
})

test('the grants of a routine end when a person ends the routine', async () => {
  await using world = await createRoutineWorld(scriptedModel())
  const made = await world.make({ condition: everyFive })
  await grant(world, made)
  await world.routines.end(world.ann, { room: world.room.name }, made.number)
  expect(await granted(world)).toBe(0)
})

test('the grants of a routine end with its last run', async () => {
  await using world = await createRoutineWorld(scriptedModel(say('one'), say('two')))
  world.engine.start()
  const made = await world.make({ condition: everyFive, runs: 2 })
  await grant(world, made)
  world.clock.advance(5 * MINUTE_MS)
  await world.until(() => world.outcomes.length === 1)
  expect(await granted(world)).toBe(1)
  await expect.poll(() => world.world.turns.countHere()).toBe(0)
  world.clock.advance(5 * MINUTE_MS)
  await world.until(() => world.outcomes.length === 2)
  await expect.poll(() => granted(world)).toBe(0)
})

test('the grants of a routine end if the routine ends because its person stays away', async () => {
  await using world = await createRoutineWorld(scriptedModel())
  const made = await world.make({ condition: everyFive })
  await grant(world, made)
  world.clock.step(91 * DAY_MS)
  world.engine.start()
  await world.until(() => world.outcomes.includes('missed'))
  await expect.poll(async () => (await world.stored(made)).nextAt ?? 0).toBeGreaterThan(world.clock.now())
  world.clock.advance(5 * MINUTE_MS)
  await world.heard('has not logged in for 90 days')
  await expect.poll(() => granted(world)).toBe(0)
})

test('a run without an answer does not count as a failure', async () => {
  const broken = fail(new Error('the model is broken'))
  await using world = await createRoutineWorld(scriptedModel(broken, say('-')))
  world.engine.start()
  const made = await world.make({ condition: everyFive })
  world.clock.advance(5 * MINUTE_MS)
  await expect.poll(async () => (await world.stored(made)).failures).toBe(1)
  await expect.poll(() => world.world.turns.countHere()).toBe(0)
  world.clock.advance(5 * MINUTE_MS)
  await world.until(() => world.outcomes.length === 2)
  expect(world.outcomes).toEqual(['failed', 'done'])
  await expect.poll(async () => (await world.stored(made)).failures).toBe(0)
  expect(await world.stored(made)).toMatchObject({ state: 'active', outcome: 'done' })
})

test('a reminder of a muted person waits until the mute is over', async () => {
  await using world = await createRoutineWorld(scriptedModel())
  world.engine.start()
  const made = await world.make({ text: 'lunch' })
  await world.sanctions.put(muted(world, world.clock.now() + 2 * HOUR_MS))
  world.clock.advance(MINUTE_MS)
  await expect.poll(async () => (await world.stored(made)).state).toBe('paused')
  expect(world.said()).toEqual([])
  world.clock.advance(3 * HOUR_MS)
  await world.until(() => world.said().length === 1)
  await expect.poll(async () => (await world.stored(made)).state).toBe('ended')
})

test('a routine that runs once ends after it has waited for seven days', async () => {
  await using world = await createRoutineWorld(scriptedModel())
  world.engine.start()
  const made = await world.make({ text: 'lunch' })
  await world.sanctions.put(muted(world, null))
  world.clock.advance(MINUTE_MS)
  await expect.poll(async () => (await world.stored(made)).state).toBe('paused')
  world.clock.step(7 * DAY_MS)
  world.clock.advance(HOUR_MS)
  await expect.poll(async () => (await world.stored(made)).state).toBe('ended')
  expect((await world.stored(made)).reason).toMatch(/^it waited for seven days: you are muted/)
})
