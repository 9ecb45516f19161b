import { expect, test } from 'vitest'
import { createRoutineWorld } from '../../../support/routine-world.ts'
import { say, scriptedModel } from '../../../support/scripted-model.ts'

const watch = { kind: 'line', words: 'on fire', model: 'qwen' } as const
const listen = { kind: 'each', model: 'qwen' } as const

/** ann owns no room here, so she makes what only ops may. */
async function createListening(...answers: readonly string[]) {
  const model = scriptedModel(...answers.map((text) => say(text)))
  const world = await createRoutineWorld(model)
  world.policy.allow = { watch: 'members', listen: 'members' }
  world.engine.start()
  return { world, model }
}

test('a watch asks its model about a line with the phrase, once for an answer with the phrase', async () => {
  const { world, model } = await createListening('it is on fire, too')
  await using _ = world
  await world.make({ condition: watch, text: 'what to do?' })
  const bob = await world.person('bob')
  await world.speech.say(world.room, bob, 'the build is ON FIRE')
  await world.heard('it is on fire, too')
  await world.until(() => world.outcomes.includes('done'))
  expect(world.said()).toEqual(['@qwen what to do?\n> bob: the build is ON FIRE'])
  expect(model.requests).toHaveLength(1)
})

test('a line that a program posted starts no watch', async () => {
  const { world } = await createListening('never')
  await using _ = world
  await world.make({ condition: watch, text: 'what to do?' })
  await world.speech.say(world.room, world.ann, 'all on fire', { posted: true })
  await world.speech.say(world.room, world.ann, 'all on fire', { byProgram: true })
  await world.speech.say(world.room, world.ann, 'nothing')
  expect(world.said()).toEqual([])
})

test('a line that a program posted starts a watch with programs', async () => {
  const { world } = await createListening('help is on its way')
  await using _ = world
  await world.make({ condition: { ...watch, programs: true }, text: 'what to do?' })
  await world.speech.say(world.room, world.ann, 'all on fire', { byProgram: true })
  await world.heard('help is on its way')
  expect(world.said()).toEqual(['@qwen what to do?\n> ann: all on fire'])
})

test('a line that a program posted, and one that a tool said for a model, start no listener of all lines', async () => {
  const { world, model } = await createListening('one')
  await using _ = world
  await world.make({ condition: { ...listen, all: true } })
  await world.make({ condition: watch, text: 'what to do?' })
  await world.speech.say(world.room, world.ann, 'by a program', { byProgram: true })
  await world.room.record({ kind: 'message', author: 'qwen', text: 'it is on fire' })
  await world.speech.say(world.room, world.ann, 'by a person')
  await world.heard('one')
  await world.until(() => world.outcomes.includes('done'))
  expect(world.said()).toEqual([])
  expect(model.requests).toHaveLength(1)
})

test('a listener answers a follow-up of the person whom its model answered last', async () => {
  const { world, model } = await createListening('one', 'two')
  await using _ = world
  await world.make({ condition: listen })
  const { turns } = await world.speech.say(world.room, world.ann, '@qwen hello')
  await turns.get('qwen')?.done
  await world.speech.say(world.room, world.ann, 'and now?')
  await world.heard('two')
  await world.until(() => world.outcomes.includes('done'))
  const bob = await world.person('bob')
  await world.speech.say(world.room, bob, 'hm')
  await world.speech.say(world.room, world.ann, 'so?')
  expect(model.requests).toHaveLength(2)
})

test('a listener of all lines goes on after ten answers if somebody typed a line at a terminal', async () => {
  const { world } = await createListening(
    ...Array.from({ length: 12 }, (_unused, index) => `answer ${index}.`),
  )
  await using _ = world
  const made = await world.make({ condition: { ...listen, all: true } })
  for (let line = 0; line < 12; line++) {
    if (line === 6) world.engine.typed(world.room.name)
    await world.speech.say(world.room, world.ann, `line ${line}`)
    await world.heard(`answer ${line}.`)
    await world.until(() => world.outcomes.length === line + 1)
  }
  expect(await world.stored(made)).toMatchObject({ state: 'active' })
})

test('a listener of all lines pauses after ten answers that nobody typed at a terminal', async () => {
  const { world } = await createListening(
    ...Array.from({ length: 11 }, (_unused, index) => `answer ${index}`),
  )
  await using _ = world
  const made = await world.make({ condition: { ...listen, all: true } })
  for (let line = 0; line < 10; line++) {
    await world.speech.say(world.room, world.ann, `line ${line}`)
    await world.heard(`answer ${line}`)
    await world.until(() => world.outcomes.length === line + 1)
  }
  await expect.poll(() => world.world.turns.countHere()).toBe(0)
  await world.speech.say(world.room, world.ann, 'one more')
  await world.until(() => world.rung.length === 1)
  expect(await world.stored(made)).toMatchObject({ state: 'paused' })
})
