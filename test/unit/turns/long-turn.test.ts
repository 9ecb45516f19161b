import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { ok } from '../../../src/tools/results/result.ts'
import { createFitMessages } from '../../../src/turns/fit-messages.ts'
import type { StepMessage } from '../../../src/wrap/loop/model.ts'
import { requestsOf } from '../../../src/turns/turn-log.ts'
import { call, say, scriptedModel } from '../../support/scripted-model.ts'
import { createTurnWorld, tool } from '../../support/turn-world.ts'

const pages = Array.from({ length: 10 }, (_, index) => `${index} ${'lorem ipsum dolor '.repeat(250)}`)
const long = () =>
  scriptedModel(
    ...pages.map((text, index) => call(['keep', { path: `p${index}`, text }], ['read', { page: index }])),
    say('all kept'),
  )
const options = {
  tools: [tool('keep', async () => ok('kept')), tool('read', async () => ok('sit amet '.repeat(800)))],
  settings: { contextWindow: 6000, maxOutput: 500 },
}

it('a turn with long steps reaches its answer, and all its requests fit the window', async () => {
  const model = long()
  await using world = await createTurnWorld(model, options)
  expect(await world.ask()).toMatchObject({ outcome: 'done', text: 'all kept' })
  for (const { prompt, messages } of model.requests) {
    const counts = await world.composer.count(
      'o200k_base',
      messages.map((message) => JSON.stringify(message)),
    )
    expect(prompt.budget.used + counts.reduce((sum, one) => sum + one, 0)).toBeLessThan(5500)
  }
})

it('a long turn shortens old calls in its requests, but not its newest call and not its log', async () => {
  const model = long()
  await using world = await createTurnWorld(model, options)
  await world.ask()
  const last = model.requests.at(-1)?.messages ?? []
  const calls = last.flatMap((step) => (step.role === 'assistant' ? step.calls : []))
  expect(calls.find(({ name }) => name === 'keep')?.arguments).toContain('characters left out')
  expect(calls.at(-2)?.arguments).toContain(pages.at(-1))
  const kept = (await world.log()).flatMap((entry) =>
    entry.kind === 'tool_call' && entry.name === 'keep' ? [entry.arguments] : [],
  )
  expect(kept).toEqual(pages.map((text, index) => ({ path: `p${index}`, text })))
})

it('the record of a long turn has the messages of each request as they were sent', async () => {
  const model = long()
  await using world = await createTurnWorld(model, options)
  const turn = await world.start()
  await turn.done
  const record = await world.chatParts.storage.models.turns.find(turn.id)
  if (!record) throw new Error('the turn was not stored')
  expect(requestsOf(record).map(({ messages }) => messages)).toEqual(
    model.requests.map(({ messages }) => messages),
  )
})

it('a turn continues after one step whose calls alone are too long', async () => {
  const texts = Array.from({ length: 8 }, (_, index) => ['keep', { text: `${index} ${pages[1]}` }] as const)
  const model = scriptedModel(call(...texts), say('done'))
  await using world = await createTurnWorld(model, options)
  expect(await world.ask()).toMatchObject({ outcome: 'done', text: 'done' })
  expect(model.requests[1]?.messages).toHaveLength(9)
})

describe('fitting the steps of a turn', () => {
  const count = async (_encoding: string, texts: readonly string[]) => texts.map((text) => text.length)
  const fit = createFitMessages({ count }, 'o200k_base')

  const steps = fc
    .array(fc.array(fc.tuple(fc.json(), fc.string({ maxLength: 3000 })), { minLength: 1, maxLength: 4 }), {
      minLength: 1,
      maxLength: 6,
    })
    .map((all) =>
      all.flatMap((calls, step): readonly StepMessage[] => [
        {
          role: 'assistant',
          text: '',
          calls: calls.map(([given], index) => ({
            id: `${step}-${index}`,
            name: 'x',
            arguments: JSON.stringify({ given, text: given.repeat(40) }),
          })),
        },
        ...calls.map(([, content], index) => ({
          role: 'tool' as const,
          call: `${step}-${index}`,
          name: 'x',
          content,
        })),
      ]),
    )

  it('fitted steps stay within the token limit, or only the newest step is left', async () => {
    await fc.assert(
      fc.asyncProperty(steps, fc.integer({ min: 0, max: 30_000 }), async (messages, tokens) => {
        const shown = await fit(messages, tokens)
        expect(shown.tokens).toBe((await fit(shown.messages, Infinity)).tokens)
        const assistants = shown.messages.filter(({ role }) => role === 'assistant')
        expect(shown.tokens <= tokens || assistants.length === 1).toBe(true)
      }),
    )
  })

  it('fitted steps keep each call with its result, and all arguments stay valid JSON', async () => {
    await fc.assert(
      fc.asyncProperty(steps, fc.integer({ min: 0, max: 30_000 }), async (messages, tokens) => {
        const { messages: shown } = await fit(messages, tokens)
        const calls = shown.flatMap((step) => (step.role === 'assistant' ? step.calls : []))
        const results = shown.flatMap((step) => (step.role === 'tool' ? step.call : []))
        expect(calls.map(({ id }) => id)).toEqual(results)
        for (const { arguments: text } of calls) expect(JSON.parse(text)).toBeTypeOf('object')
      }),
    )
  })

  it('messages are not changed if all of them fit the token limit', async () => {
    const message: StepMessage = { role: 'tool', call: '1', name: 'x', content: 'y'.repeat(5000) }
    expect((await fit([message], 6000)).messages[0]).toBe(message)
  })
})

const words = 'x y z '.repeat(20)
const manyCalls = (step: number) =>
  call(...Array.from({ length: 12 }, (_, n) => ['read', { q: `${step} ${n}`, a: words, b: words }] as const))
const steps = {
  'many calls at once': manyCalls,
  'one call of many words': (step: number) => call(['read', { q: `${step} ${'lorem ipsum '.repeat(800)}` }]),
  'one call of one word': (step: number) => call(['read', { q: String(step) }]),
}

/** Answers of a turn whose model makes such steps in such a window, and by how much its longest request was over. */
async function ended(contextWindow: number, step: (n: number) => ReturnType<typeof call>) {
  const maxOutput = Math.floor(contextWindow / 4)
  const model = scriptedModel(...[0, 1, 2, 3].map(step), say('all done'))
  await using world = await createTurnWorld(model, {
    settings: { backend: 'openai', contextWindow, maxOutput },
    tools: [tool('read', () => ok('sit amet '.repeat(800))), tool('keep')],
  })
  const { text } = await world.ask()
  const sizes = model.requests.map(async ({ prompt, messages }) => {
    const texts = messages.map((message) => JSON.stringify(message))
    const counts = await world.composer.count('o200k_base', texts)
    return prompt.budget.used + counts.reduce((sum, one) => sum + one, 0)
  })
  return { text, over: Math.max(...(await Promise.all(sizes))) - (contextWindow - maxOutput) }
}

for (const contextWindow of [1000, 1024, 1500, 2048])
  for (const [what, step] of Object.entries(steps))
    it(`a turn with ${what} in a window of ${contextWindow} tokens reaches its answer`, async () => {
      const { text, over } = await ended(contextWindow, step)
      expect(text).toBe('all done')
      expect(over).toBeLessThanOrEqual(0)
    })

it('a turn whose steps fill the whole window ends with a notice about that', async () => {
  const { text } = await ended(500, steps['many calls at once'])
  expect(text).toMatch(
    /^@qwen: its calls and their results in this turn leave no space in its window of 500 tokens; ask for less at once$/,
  )
})
