import { expect, test } from 'vitest'
import { screenOf } from '../../../support/chat-parts.ts'
import { createRoutineWorld, type RoutineWorld } from '../../../support/routine-world.ts'
import { hangs, say, scriptedModel } from '../../../support/scripted-model.ts'
import { anotherModel } from '../../../support/turn-world.ts'

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

/** More people than two, so that listeners answer follow-ups only. */
async function fillRoom({ room, person }: RoutineWorld): Promise<void> {
  for (const name of ['carl', 'dora', 'eve']) await room.enter(screenOf(await person(name)), 'quietly')
}

test('a watch asks its model once about a line with its phrase, and not about the answer', async () => {
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

test('a line that a program posted starts a watch that includes programs', async () => {
  const { world } = await createListening('help is on its way')
  await using _ = world
  await world.make({ condition: { ...watch, programs: true }, text: 'what to do?' })
  await world.speech.say(world.room, world.ann, 'all on fire', { byProgram: true })
  await world.heard('help is on its way')
  expect(world.said()).toEqual(['@qwen what to do?\n> ann: all on fire'])
})

test('a listener of all lines ignores lines of programs and lines that tools posted for models', async () => {
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

test('a listener answers a follow-up line of the person that its model answered last', async () => {
  const { world, model } = await createListening('one', 'two')
  await using _ = world
  await fillRoom(world)
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

test('a listener answers each line as long as one or two people are in the room', async () => {
  const { world, model } = await createListening('one', 'two')
  await using _ = world
  await world.make({ condition: listen })
  await world.room.enter(screenOf(world.ann), 'quietly')
  const bob = await world.person('bob')
  await world.room.enter(screenOf(bob), 'quietly')
  await world.speech.say(world.room, world.ann, 'hello')
  await world.heard('one')
  await world.until(() => world.outcomes.length === 1)
  await world.speech.say(world.room, bob, 'hi')
  await world.heard('two')
  await world.until(() => world.outcomes.length === 2)
  await fillRoom(world)
  await world.speech.say(world.room, world.ann, 'still there?')
  expect(model.requests).toHaveLength(2)
})

test('lines posted while a listener answers are answered together', async () => {
  const { world, model } = await createListening('one', 'two')
  await using _ = world
  await world.make({ condition: { ...listen, all: true } })
  await world.speech.say(world.room, world.ann, 'first')
  for (const text of ['second', 'third', 'fourth']) await world.speech.say(world.room, world.ann, text)
  await world.heard('two')
  await world.until(() => world.outcomes.length === 2)
  expect(model.requests).toHaveLength(2)
  expect(JSON.stringify(model.requests[1]?.prompt)).toMatch(/second.*third.*fourth/s)
})

test('a speaker reads once that a listener cannot answer them', async () => {
  const gpt = { ...anotherModel('gpt'), adapter: scriptedModel(hangs('hm')) }
  const limits = { turns_per_room: 1, turns_queued: 0 }
  await using world = await createRoutineWorld(scriptedModel(), { more: [gpt], limits })
  world.policy.allow = { listen: 'members' }
  world.engine.start()
  const screen = screenOf(world.ann)
  await world.room.enter(screen, 'quietly')
  await world.make({ condition: listen })
  await world.speech.say(world.room, world.ann, '@gpt hello')
  for (const line of [1, 2, 3]) {
    await world.speech.say(world.room, world.ann, `line ${line}`)
    await world.until(() => world.outcomes.length === line)
  }
  expect(world.outcomes).toEqual(['refused', 'refused', 'refused'])
  expect(screen.texts().filter((text) => text.startsWith('routine 1:'))).toHaveLength(1)
})

test('a watch with a pause starts at most one run within the pause', async () => {
  const { world } = await createListening('one', 'two', 'three')
  await using _ = world
  const rested = { ...watch, pauseMs: 600_000 }
  await world.make({ condition: rested, text: 'what to do?' })
  await world.make({ condition: { ...watch, words: 'still' }, text: 'really?' })
  await world.speech.say(world.room, world.ann, 'on fire')
  await world.until(() => world.outcomes.length === 1)
  await world.speech.say(world.room, world.ann, 'still on fire')
  await world.until(() => world.outcomes.length === 2)
  world.clock.advance(600_000)
  await world.speech.say(world.room, world.ann, 'on fire again')
  await world.until(() => world.outcomes.length === 3)
  expect(world.said()).toEqual([
    '@qwen what to do?\n> ann: on fire',
    '@qwen really?\n> ann: still on fire',
    '@qwen what to do?\n> ann: on fire again',
  ])
})

test('a watch for a regular expression runs for a line that matches the expression', async () => {
  const { world } = await createListening('yes')
  await using _ = world
  const condition = { ...watch, words: '^build \\d+ (failed|broke)', isRegex: true } as const
  await world.make({ condition, text: 'why?' })
  await world.speech.say(world.room, world.ann, 'the build 7 failed')
  await world.speech.say(world.room, world.ann, 'build 8 broke')
  await world.until(() => world.outcomes.length === 1)
  expect(world.said()).toEqual(['@qwen why?\n> ann: build 8 broke'])
})

test('a watch that includes programs runs for a line of a POST request', async () => {
  const { world } = await createListening('yes')
  await using _ = world
  await world.make({ condition: { ...watch, programs: true }, text: 'why?' })
  await world.speech.say(world.room, world.ann, 'all on fire', { posted: true })
  await world.until(() => world.outcomes.length === 1)
  expect(world.said()).toEqual(['@qwen why?\n> ann: all on fire'])
})

test('lines start the same watch at most as often per hour as the limit allows', async () => {
  const { world } = await createListening(...Array.from({ length: 12 }, () => 'hm'))
  await using _ = world
  await world.make({ condition: watch, text: 'why?' })
  for (let line = 1; line <= 14; line++) {
    await world.speech.say(world.room, world.ann, `on fire ${line}`)
    await world.until(() => world.outcomes.length === line)
    await expect.poll(() => world.world.turns.countHere()).toBe(0)
  }
  expect(world.outcomes.slice(-2)).toEqual(['too_often', 'too_often'])
  expect(world.said()).toHaveLength(12)
})

test('a listener of all lines continues after ten answers if a person typed at a terminal', async () => {
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
