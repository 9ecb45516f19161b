import { expect, it } from 'vitest'
import { ok } from '../../../src/tools/result.ts'
import { call, say, scriptedModel } from '../../support/scripted-model.ts'
import { createTurnWorld, tool } from '../../support/turn-world.ts'

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
    it(`a turn with ${what} in a window of ${contextWindow} tokens goes on to its answer`, async () => {
      const { text, over } = await ended(contextWindow, step)
      expect(text).toBe('all done')
      expect(over).toBeLessThanOrEqual(0)
    })

it('a turn whose steps leave no space at all ends with a sentence about that', async () => {
  const { text } = await ended(500, steps['many calls at once'])
  expect(text).toMatch(
    /^@qwen: what it has called and read in this turn leaves no space in its window of 500 tokens; ask for less at once$/,
  )
})
