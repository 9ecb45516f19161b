import { expect, test } from 'vitest'
import { screenOf } from '../../../support/chat-parts.ts'
import { createRoutineWorld } from '../../../support/routine-world.ts'
import { say, scriptedModel } from '../../../support/scripted-model.ts'

/** The world has the model `qwen`; ann has a talk with `model`. */
async function createTalking(model = 'qwen', ...answers: readonly string[]) {
  const scripted = scriptedModel(...answers.map((text) => say(text)))
  const world = await createRoutineWorld(scripted)
  world.engine.start()
  const { rooms } = world.world.chatParts
  const room = await rooms.create('ann-qwen', world.ann, { private: true, talk: model })
  room.listen({
    deliver: (entry) => void world.entries.push(entry),
  })
  return { world, room, scripted }
}

test('a talk answers each line of its owner, even without routine rights or a terminal', async () => {
  const answers = Array.from({ length: 12 }, (_, index) => `answer ${index}.`)
  const { world, room } = await createTalking('qwen', ...answers)
  await using _ = world
  world.policy.enabled = false
  world.policy.allow = { listen: 'nobody' }
  for (const answer of answers) {
    await world.speech.say(room, world.ann, 'and then?')
    await expect.poll(() => world.texts().at(-1)).toBe(`reply: ${answer}`)
    await expect.poll(() => world.world.turns.running(room.name)).toEqual([])
  }
})

test('lines posted while the model of a talk answers are answered together', async () => {
  const { world, room, scripted } = await createTalking('qwen', 'one', 'two')
  await using _ = world
  for (const text of ['first', 'second', 'third']) await world.speech.say(room, world.ann, text)
  await expect.poll(() => world.texts()).toContain('reply: two')
  expect(scripted.requests).toHaveLength(2)
  expect(JSON.stringify(scripted.requests[1]?.prompt)).toMatch(/second.*third/s)
})

test('a talk answers only its owner, and no line to another person or of a program', async () => {
  const { world, room, scripted } = await createTalking('qwen', 'here I am', 'asked')
  await using _ = world
  const bob = await world.person('bob')
  await room.enter(screenOf(bob), 'quietly')
  await world.speech.say(room, bob, 'hello')
  await world.speech.say(room, world.ann, 'bob: do not mind it')
  await world.speech.say(room, world.ann, 'look, @bob')
  await world.speech.say(room, world.ann, 'piped', { byProgram: true })
  await world.speech.say(room, world.ann, 'what is @Override?')
  await expect.poll(() => world.texts()).toContain('reply: here I am')
  expect(scripted.requests).toHaveLength(1)
  await expect.poll(() => world.world.turns.running(room.name)).toEqual([])
  await world.speech.say(room, bob, '@qwen and me?')
  await expect.poll(() => world.texts()).toContain('reply: asked')
  expect(scripted.requests).toHaveLength(2)
})

test('a line with the mention of its model is answered once in a talk', async () => {
  const { world, room, scripted } = await createTalking('qwen', 'once', 'twice')
  await using _ = world
  const { turns } = await world.speech.say(room, world.ann, '@qwen hello')
  await turns.get('qwen')?.done
  await world.speech.say(room, world.ann, 'bye')
  await expect.poll(() => world.texts()).toContain('reply: twice')
  expect(scripted.requests).toHaveLength(2)
})

test('the owner of a talk reads that the model of the talk is gone', async () => {
  const { world, room } = await createTalking('old')
  await using _ = world
  const whispers: string[] = []
  await room.enter({ ...screenOf(world.ann), whisper: ({ text }) => void whispers.push(text) }, 'quietly')
  await world.speech.say(room, world.ann, 'hello?')
  await expect.poll(() => whispers).toEqual(['this talk is paused: there is no model @old now'])
})
