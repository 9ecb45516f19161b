import { expect, test } from 'vitest'
import { DAY_MS } from '../../../../src/base/amounts.ts'
import type { Routine } from '../../../../src/turns/routines/ports.ts'
import { createRoutineWorld, type RoutineWorld } from '../../../support/routine-world.ts'
import { say, scriptedModel } from '../../../support/scripted-model.ts'

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

test('what was allowed to a routine ends when a person ends it', async () => {
  await using world = await createRoutineWorld(scriptedModel())
  const made = await world.make({ condition: everyFive })
  await grant(world, made)
  await world.routines.end(world.ann, { room: world.room.name }, made.number)
  expect(await granted(world)).toBe(0)
})

test('what was allowed to a routine ends with its last run', async () => {
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

test('what was allowed to a routine ends with it if its person stays away', async () => {
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
