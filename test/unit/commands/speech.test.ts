import { expect, test } from 'vitest'
import { createAway } from '../../../src/chat/talk/away.ts'
import { createSpeech } from '../../../src/commands/speech.ts'
import { say, scriptedModel } from '../../support/scripted-model.ts'
import { anotherModel, createTurnWorld } from '../../support/turn-world.ts'

const limits = { message_chars: 4000, message_lines: 400, paste_bytes: 65_536 }

test('a message that mentions several models calls each of them once', async () => {
  await using world = await createTurnWorld(scriptedModel(say('a')), { more: [anotherModel('llama')] })
  const speech = createSpeech(world.turns, limits, createAway())
  const { turns } = await speech.say(world.room, world.ann, '@llama and @qwen: and again @llama?')
  const last = await Promise.all([...turns.values()].map((turn) => turn.done))
  expect(last.map(({ author, text }) => `${author}: ${text}`)).toEqual(['llama: I am llama', 'qwen: a'])
})

test('a model that cannot be asked keeps no other from being asked, and is named', async () => {
  await using world = await createTurnWorld(scriptedModel(say('a')), {
    more: [anotherModel('llama')],
    limits: { turns_per_room: 1, turns_queued: 0 },
  })
  const speech = createSpeech(world.turns, limits, createAway())
  const said = speech.say(world.room, world.ann, '@qwen @llama hello')
  await expect(said).rejects.toThrow(/^@llama was not asked: 1 models are at work here/)
  await Promise.all(world.turns.running(world.room.name).map((turn) => turn.done))
  expect(await world.lines()).toEqual(['reply: a'])
})
