import { expect, it } from 'vitest'
import { ok } from '../../../src/tools/results/result.ts'
import type { ChatMessage } from '../../../src/tools/context.ts'
import { userContent } from '../../../src/wrap/prompt.ts'
import { call, say, scriptedModel, type ScriptedModel } from '../../support/scripted-model.ts'
import { createTurnWorld, tool, type TurnWorld, type WorldOptions } from '../../support/turn-world.ts'

/** Millionths of a unit for a million tokens. */
const PRICE = { input: 2_000_000, cached: 0, output: 10_000_000 }
/** Not the offline helper, which uses nothing. */
const COUNTED = { backend: 'openai-compatible' } as const

/** A tool that asks its model and gives back the answer. */
const asks = (question: readonly ChatMessage[] = [{ role: 'user', text: 'two and two?' }]) =>
  tool('asks', async (_args, { chat }) => ok((await chat.model!.ask(question)).text))

const worldOf = (model: ScriptedModel, options: WorldOptions = {}): Promise<TurnWorld> =>
  createTurnWorld(model, { tools: [asks()], ...options, settings: { ...COUNTED, ...options.settings } })

const result = (lines: readonly string[]): string =>
  lines.find((line) => line.startsWith('tool_result: '))?.slice('tool_result: '.length) ?? ''

it("a tool sends the model exactly its own messages, without tools, and gets the answer's text", async () => {
  const model = scriptedModel(call(['asks', {}]), say('fo', 'ur'), say('It is four.'))
  await using world = await worldOf(model)
  expect(await world.ask()).toMatchObject({ text: 'It is four.', outcome: 'done' })
  expect(result(await world.lines())).toBe('four')
  const [, question] = model.requests
  expect(question).toMatchObject({ messages: [], tools: [], prompt: { system: '', context: '' } })
  expect(userContent(question!.prompt)).toBe('two and two?')
})

it('a tool can pass on the conversation, which is sent as text because no tools are sent', async () => {
  const model = scriptedModel(call(['asks', { q: 'x' }]), say('four'), say('done'))
  const hands = tool('asks', async (_args, { chat }) =>
    ok((await chat.model!.ask([...chat.messages, { role: 'user', text: 'and now?' }])).text),
  )
  await using world = await worldOf(model, { tools: [hands] })
  await world.ask('what is it?')
  expect(userContent(model.requests[1]!.prompt)).toBe(
    'The conversation so far:\nwas asked: ann: @qwen what is it?\n\nand now?',
  )
})

it('the requests of a tool are charged to the requester of the turn, and the reply has the sum', async () => {
  const model = scriptedModel(call(['asks', {}]), say('four'), say('done'))
  await using world = await worldOf(model, { settings: { price: PRICE } })
  const reply = await world.ask()
  expect(reply).toMatchObject({ usage: { input: 30, output: 3 }, cost: '0.00009' })
  const { charges } = world.chatParts.storage.models
  const [row] = await charges.usage({ by: 'person', since: 0, room: world.room.name })
  expect(row).toMatchObject({ key: 'ann', requests: 3, input: 30, output: 3 })
  expect(await charges.spent({ payer: `person ${world.ann.id}` }, 0)).toBe(33)
})

it('a tool with many requests at once exceeds a quota by its last accepted request at most', async () => {
  const model = scriptedModel(call(['asks', {}]), say('one'), say('two'))
  const many = tool('asks', async (_args, { chat }) => {
    const all = Array.from({ length: 5 }, () => chat.model!.ask([{ role: 'user', text: 'x' }]))
    const settled = await Promise.allSettled(all)
    return ok(settled.map(({ status }) => status).join())
  })
  await using world = await worldOf(model, { tools: [many], limits: { tokens_per_person_day: 23 } })
  await world.ask()
  expect(result(await world.lines())).toBe('fulfilled,fulfilled,rejected,rejected,rejected')
})

it('a request of a tool is recorded as a side turn of its turn', async () => {
  const model = scriptedModel(call(['asks', {}]), say('four'), say('done'))
  const begun: { readonly id: string; readonly parent?: string }[] = []
  await using world = await worldOf(model, {
    withTurns: (turns) => ({ begin: async (turn) => (begun.push(turn), await turns.begin(turn)) }),
  })
  await world.ask()
  expect(begun).toMatchObject([{}, { parent: begun[0]?.id }])
  const stored = await world.chatParts.storage.models.turns.find(begun[1]!.id)
  expect(stored).toMatchObject({ outcome: 'done', requester: 'ann', prompt: { message: 'two and two?' } })
})

it('a tool gets an error if a message is malformed or too long for the window', async () => {
  const answerTo = async (question: unknown): Promise<string> => {
    const model = scriptedModel(call(['asks', {}]), say('done'))
    await using world = await worldOf(model, { tools: [asks(question as ChatMessage[])] })
    await world.ask()
    return result(await world.lines())
  }
  expect(await answerTo('hi')).toBe('ERROR: asks: messages must be an array, got "hi"')
  expect(await answerTo([{ role: 'user' }])).toBe(
    'ERROR: asks: messages[0].text must be a string, got nothing',
  )
  expect(await answerTo([])).toBe(
    "ERROR: asks: the last of the messages must be what the model is asked: { role: 'user', text }",
  )
  expect(await answerTo([{ role: 'user', text: 'word '.repeat(60_000) }])).toMatch(
    /^ERROR: asks: the messages have \d+ tokens and @qwen has space for \d+; ask about less at once$/,
  )
})

it('chat.model converts to the name of the model in a string', async () => {
  const model = scriptedModel(call(['names', {}]), say('done'))
  const names = tool('names', (_args, { chat }) => ok(`${String(chat.model)}, ${chat.model?.name}`))
  await using world = await worldOf(model, { tools: [names] })
  await world.ask()
  expect(result(await world.lines())).toBe('qwen, qwen')
})
