import { expect, test } from 'vitest'
import { Refusal } from '../../../src/chat/errors.ts'
import { Speech } from '../../../src/commands/speech.ts'
import { say, scriptedModel } from '../../support/scripted-model.ts'
import { anotherModel, createTurnWorld } from '../../support/turn-world.ts'
import { answerCommand, hintForBareCommand, hintForSpeech } from '../../../src/commands/hints.ts'

/** Where nobody has registered. */
const nobody = {
  called: async () => {
    throw new Refusal('nobody')
  },
}

const nothingAsked = { open: () => [] }

const limits = { message_chars: 4000, message_lines: 400, paste_bytes: 65_536 }

test('a message that mentions several models calls each of them once', async () => {
  await using world = await createTurnWorld(scriptedModel(say('a')), { more: [anotherModel('llama')] })
  const speech = new Speech(world.turns, limits, { heard() {} }, nobody, nothingAsked)
  const { turns } = await speech.say(world.room, world.ann, '@llama and @qwen: and again @llama?')
  const last = await Promise.all([...turns.values()].map((turn) => turn.done))
  expect(last.map(({ author, text }) => `${author}: ${text}`)).toEqual(['llama: I am llama', 'qwen: a'])
})

test.each([
  ['yes', '/allow 2 answers question 2'],
  [' Y ', '/allow 2 answers question 2'],
  ['1', '/allow 2 answers question 2'],
  ['no', '/deny 2 answers question 2'],
  ['allow 6', '/allow 2 answers question 2'],
  ['Yes.', '/allow 2 answers question 2'],
  ['ok', '/allow 2 answers question 2'],
  ['sure', '/allow 2 answers question 2'],
  ['okay!', '/allow 2 answers question 2'],
  ['deny 6', '/deny 2 answers question 2'],
])('%j gets a hint if a question is open that the speaker may answer', async (text, hint) => {
  await using world = await createTurnWorld(scriptedModel())
  const question = (number: number, name: string) => ({
    ...{ number, waitsFor: name },
    mayAllow: (person: { readonly name: string }) => person.name === name,
  })
  const asked = { open: () => [question(1, 'bob'), question(2, 'ann')] }
  const speech = new Speech(world.turns, limits, { heard() {} }, nobody, asked)
  expect((await speech.say(world.room, world.ann, text)).hint).toBe(`that was said in the room; ${hint}`)
  const others = new Speech(world.turns, limits, { heard() {} }, nobody, { open: () => [question(1, 'bob')] })
  expect((await others.say(world.room, world.ann, text)).hint).toBeUndefined()
})

test('a number behind allow is that of the question in the hint', async () => {
  await using world = await createTurnWorld(scriptedModel())
  const asked = { open: () => [1, 2].map((number) => ({ number, waitsFor: 'ann', mayAllow: () => true })) }
  const speech = new Speech(world.turns, limits, { heard() {} }, nobody, asked)
  expect((await speech.say(world.room, world.ann, 'allow 2')).hint).toContain('/allow 2 answers')
})

test('a sentence that begins with yes answers no question', () => {
  for (const text of ['yes, I think so', 'allow me', 'ok, then', '11', ''])
    expect(answerCommand(text)).toBeUndefined()
})

test('a model that cannot be asked keeps no other from being asked, and is named', async () => {
  await using world = await createTurnWorld(scriptedModel(say('a')), {
    more: [anotherModel('llama')],
    limits: { turns_per_room: 1, turns_queued: 0 },
  })
  const speech = new Speech(world.turns, limits, { heard() {} }, nobody, nothingAsked)
  const said = speech.say(world.room, world.ann, '@qwen @llama hello')
  await expect(said).rejects.toThrow(/^@llama was not asked: 1 model is at work here and 0 wait;/)
  await Promise.all(world.turns.running(world.room.name).map((turn) => turn.ended()))
  expect(await world.lines()).toEqual(['reply: a'])
})

test.each([
  ['@qwne why?', 'no model or person called qwne; did you mean @qwen?'],
  ['so, @qwne: why?', 'no model or person called qwne; did you mean @qwen?'],
  ['@anm hi', 'no model or person called anm; did you mean @Ann?'],
  ['@xyz hi', 'no model or person called xyz; /who lists those who are here'],
  ['@everyone hi', 'everybody here reads what you say; @NAME calls a model'],
  ['qwen: are you there?', 'nobody was asked: write @qwen, not qwen'],
  ['Qwen, hello', 'nobody was asked: write @qwen, not qwen'],
  ['exit', 'that was said in the room; /quit leaves'],
  [' HELP ', 'that was said in the room; /help lists the commands'],
  ['exit now', 'that was said in the room; /quit leaves'],
  ['quit()', 'that was said in the room; /quit leaves'],
  ['cd ..', 'that was said in the room; /join NAME goes to a room, /leave back to the lobby'],
  ['ls -la', 'that was said in the room; /rooms lists the rooms, /who the people'],
  ['sudo su', 'that was said in the room; this is no shell: /help lists the commands'],
  ['@', 'that was said in the room; @NAME in a message asks a model; /models lists them'],
  ['git status', undefined],
  ['bye', undefined],
  ['exit nowhere', undefined],
  ['cd is broken', undefined],
  ['sudo make me a sandwich', undefined],
  ['@qwen why?', undefined],
  ['@QWEN. why?', undefined],
  ['@ann hi', undefined],
  ['@bob hi', undefined],
  ['qwen: ask @qwen', undefined],
  ['see @xyz', undefined],
  ['@Ann knows\n@param x', undefined],
  ['npm i @types/node', undefined],
  ['mail ann@example.org', undefined],
  ['exit the room', undefined],
  ['@'.repeat(4_000), undefined],
  [`@${'x'.repeat(4_000)}`, undefined],
  ['', undefined],
])('of %j its speaker is told %j', async (text, expected) => {
  const isRegistered = async (name: string) => name === 'bob'
  const callable = { models: ['guide', 'qwen'], people: ['Ann'], isRegistered }
  expect(await hintForSpeech(text, callable)).toBe(expected)
})

test.each([
  ['!help', 'that was said in the room; a command begins with a slash, as in /help'],
  ['\\help me', 'that was said in the room; a command begins with a slash, as in /help'],
  [' .Join den', 'that was said in the room; a command begins with a slash, as in /join'],
  ['!important', undefined],
  ['.helpful', undefined],
  ['.gitignore', undefined],
  ['... help', undefined],
  [':)', undefined],
  ['help!', undefined],
  ['', undefined],
])('of %j, behind the sign of another program, its speaker is told %j', (text, expected) => {
  expect(hintForBareCommand(text, (word) => ['help', 'join'].includes(word))).toBe(expected)
})
