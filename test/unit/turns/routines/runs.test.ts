import { expect, test } from 'vitest'
import { DAY_MS, HOUR_MS } from '../../../../src/base/amounts.ts'
import { createRoutineWorld } from '../../../support/routine-world.ts'
import { fail, hangs, say, scriptedModel } from '../../../support/scripted-model.ts'

const MINUTE_MS = 60_000

test('a due reminder in a room is posted for its person and asks the model once', async () => {
  await using world = await createRoutineWorld(scriptedModel(say('all is well')))
  world.engine.start()
  const made = await world.make()
  world.clock.advance(MINUTE_MS)
  await world.until(() => world.outcomes.length > 0)
  expect(world.said()).toEqual(['@qwen sum up'])
  expect(world.outcomes).toEqual(['done'])
  await world.until(() => world.texts().some((text) => text === 'reply: all is well'))
  expect(await world.stored(made)).toMatchObject({ state: 'ended', nextAt: null })
})

test('the shown routines are updated when a routine is made, has run or is paused', async () => {
  await using world = await createRoutineWorld(scriptedModel())
  const { engine, room, ann, clock, policy } = world
  policy.allow = { listen: 'members' }
  let changes = 0
  const stop = engine.onChange(() => changes++)
  const shown = async () => await engine.routines.shown(room.name, [ann.id])
  engine.start()
  const spec = { every: 'interval', ms: HOUR_MS } as const
  const made = await world.make({ text: 'take a walk', condition: { kind: 'calendar', spec } })
  const reminder = await world.make({
    room: null,
    text: 'tea',
    condition: { kind: 'once', at: made.at + 10 },
  })
  await world.make({ condition: { kind: 'each', model: 'qwen' } })
  expect(await shown()).toEqual({
    ...{ listeners: ['qwen'], next: made.nextAt },
    nextOf: new Map([[ann.id, reminder.nextAt]]),
  })
  const before = changes
  clock.advance(HOUR_MS)
  await expect.poll(async () => (await shown()).next).toBe(made.nextAt! + HOUR_MS)
  await expect.poll(async () => (await shown()).nextOf.get(ann.id)).toBe(made.nextAt! + HOUR_MS)
  expect(changes).toBeGreaterThan(before)
  await engine.routines.pause(ann, { room: room.name }, made.number)
  expect(await shown()).toEqual({ listeners: ['qwen'], nextOf: new Map() })
  policy.enabled = false
  expect((await shown()).listeners).toEqual([])
  const last = changes
  stop()
  engine.changed()
  expect(changes).toBe(last)
})

test('a calendar keeps its local time over both changes of daylight saving time', async () => {
  await using world = await createRoutineWorld(scriptedModel())
  const zone = 'Europe/Berlin'
  const spec = { every: 'week', days: [0, 1, 2, 3, 4, 5, 6], minute: 9 * 60 } as const
  world.clock.step(Date.UTC(2026, 2, 28, 12) - world.clock.now())
  world.engine.start()
  const made = await world.make({ text: 'stand up', condition: { kind: 'calendar', spec }, zone })
  expect(made.nextAt).toBe(Date.UTC(2026, 2, 29, 7))
  world.clock.advance(Date.UTC(2026, 2, 29, 7) - world.clock.now())
  await world.heard('stand up')
  await world.until(() => world.said().length === 1)
  await expect.poll(async () => (await world.stored(made)).nextAt).toBe(Date.UTC(2026, 2, 30, 7))
})

test('a daily time that comes twice in autumn runs once', async () => {
  await using world = await createRoutineWorld(scriptedModel())
  const zone = 'Europe/Berlin'
  const spec = { every: 'week', days: [0, 1, 2, 3, 4, 5, 6], minute: 2 * 60 + 30 } as const
  world.clock.step(Date.UTC(2026, 9, 24, 12) - world.clock.now())
  world.engine.start()
  const made = await world.make({ text: 'back up', condition: { kind: 'calendar', spec }, zone })
  expect(made.nextAt).toBe(Date.UTC(2026, 9, 25, 0, 30))
  world.clock.advance(Date.UTC(2026, 9, 25, 0, 30) - world.clock.now())
  await expect.poll(async () => (await world.stored(made)).nextAt).toBe(Date.UTC(2026, 9, 26, 1, 30))
  world.clock.advance(HOUR_MS)
  expect(world.said()).toEqual(['back up'])
})

test('a due run waits for a turn slot behind the requests of people', async () => {
  const model = scriptedModel(hangs('one'), hangs('two'), say('three'))
  await using world = await createRoutineWorld(model)
  world.engine.start()
  const asked = [await world.world.start('one'), await world.world.start('two')]
  await model.arrived(2)
  const made = await world.make()
  world.clock.advance(5 * MINUTE_MS)
  expect(world.said()).toEqual([])
  asked[0]?.cancel('enough')
  await world.heard('three')
  await world.until(() => world.outcomes.length === 1)
  expect(world.outcomes).toEqual(['done'])
  expect((await world.stored(made)).failures).toBe(0)
})

test('a due run without a turn slot for ten minutes is skipped and does not count as a failure', async () => {
  const model = scriptedModel(hangs('one'), hangs('two'))
  await using world = await createRoutineWorld(model)
  world.engine.start()
  for (const text of ['one', 'two']) await world.world.start(text)
  await model.arrived(2)
  const spec = { every: 'interval', ms: 60 * MINUTE_MS } as const
  const made = await world.make({ condition: { kind: 'calendar', spec } })
  world.clock.advance(60 * MINUTE_MS)
  world.clock.advance(11 * MINUTE_MS)
  await world.heard('models were busy for ten minutes')
  await world.until(() => world.outcomes.includes('no_slot'))
  await expect.poll(async () => (await world.stored(made)).outcome).toBe('no slot')
  expect(await world.stored(made)).toMatchObject({ state: 'active', failures: 0 })
})

test('a routine that has used its daily tokens is paused until the next day', async () => {
  await using world = await createRoutineWorld(scriptedModel(say('one'), say('two')))
  world.clock.step(Date.UTC(2026, 0, 5, 12) - world.clock.now())
  world.engine.start()
  const spec = { every: 'interval', ms: 60 * MINUTE_MS } as const
  const made = await world.make({ condition: { kind: 'calendar', spec }, tokens: 5 })
  world.clock.advance(HOUR_MS)
  await world.until(() => world.outcomes.length === 1)
  await expect.poll(async () => (await world.stored(made)).spent.tokens).toBeGreaterThan(5)
  world.clock.advance(HOUR_MS)
  await expect.poll(async () => (await world.stored(made)).state).toBe('paused')
  expect((await world.stored(made)).reason).toMatch(/has used its 5 tokens of today/)
  for (let hour = 14; hour < 24; hour++) {
    await expect.poll(async () => (await world.stored(made)).nextAt ?? 0).toBeGreaterThan(world.clock.now())
    world.clock.advance(HOUR_MS)
  }
  await world.heard('two')
  await expect.poll(async () => (await world.stored(made)).state).toBe('active')
})

test('a routine of the 31st runs on the last day of a shorter month', async () => {
  await using world = await createRoutineWorld(scriptedModel())
  world.clock.step(Date.UTC(2026, 1, 1) - world.clock.now())
  const spec = { every: 'month', day: 31, minute: 0 } as const
  const made = await world.make({ text: 'rent', condition: { kind: 'calendar', spec } })
  expect(made.nextAt).toBe(Date.UTC(2026, 1, 28))
})

test('a run missed by less than an hour runs once late, and one missed by more is reported', async () => {
  await using world = await createRoutineWorld(scriptedModel())
  const spec = { every: 'interval', ms: HOUR_MS * 6 } as const
  await world.make({ text: 'drink', condition: { kind: 'calendar', spec } })
  world.clock.step(6.5 * HOUR_MS)
  world.engine.start()
  await world.until(() => world.said().length === 1)
  await using later = await createRoutineWorld(scriptedModel())
  await later.make({ text: 'drink', condition: { kind: 'calendar', spec } })
  later.clock.step(20 * HOUR_MS)
  later.engine.start()
  await later.heard('did not run at')
  await later.until(() => later.outcomes.includes('missed'))
  expect(later.said()).toEqual([])
})

test('a private reminder rings however late it is, and rings again after /remind again', async () => {
  await using world = await createRoutineWorld(scriptedModel())
  await world.make({ room: null, text: 'call home' })
  world.clock.step(20 * DAY_MS)
  world.engine.start()
  await world.until(() => world.rung.length === 1)
  await expect.poll(async () => (await world.routines.list(world.ann, 'mine')).length).toBe(0)
  await world.routines.remindAgain(world.ann, 10 * MINUTE_MS)
  world.clock.advance(10 * MINUTE_MS)
  await world.until(() => world.rung.length === 2)
  expect(world.rung).toEqual(['call home', 'call home'])
})

test('only one of two servers on one database runs a due routine', async () => {
  await using world = await createRoutineWorld(scriptedModel())
  await using other = world.server('two')
  await world.make({ text: 'lunch' })
  world.clock.step(MINUTE_MS)
  world.engine.start()
  other.start()
  await world.heard('lunch')
  await expect.poll(async () => (await world.routines.list(world.ann, world.room)).length).toBe(0)
  expect(world.said()).toEqual(['lunch'])
})

test('a line of a run is not posted again if the server died after posting it', async () => {
  await using world = await createRoutineWorld(scriptedModel())
  const made = await world.make({ text: 'lunch' })
  world.clock.step(MINUTE_MS)
  const claim = { nextAt: made.nextAt ?? 0, by: 'dead', ms: 1 }
  await world.storage.models.routines.claim(made.id, claim)
  await world.room.record({ kind: 'message', author: 'ann', by: world.ann.id, text: 'lunch', routine: 1 })
  world.clock.step(1_000)
  world.engine.start()
  await expect.poll(async () => (await world.stored(made)).state).toBe('ended')
  expect(world.said()).toEqual(['lunch'])
})

test('three failures in a row pause a routine, and a later success makes it active', async () => {
  const broken = fail(new Error('the model is broken'))
  await using world = await createRoutineWorld(scriptedModel(broken, broken, broken, say('back')))
  world.engine.start()
  const spec = { every: 'interval', ms: 5 * MINUTE_MS } as const
  const made = await world.make({ condition: { kind: 'calendar', spec } })
  for (const run of [1, 2, 3]) {
    world.clock.advance(5 * MINUTE_MS)
    await world.until(() => world.outcomes.length === run)
    await expect.poll(async () => (await world.stored(made)).failures).toBe(run)
    await expect.poll(() => world.world.turns.countHere()).toBe(0)
  }
  expect(await world.stored(made)).toMatchObject({ state: 'paused', outcome: 'failed' })
  await world.until(() => world.rung.length === 1)
  world.clock.advance(HOUR_MS)
  await world.until(() => world.outcomes.length === 4)
  await expect.poll(async () => (await world.stored(made)).state).toBe('active')
})
