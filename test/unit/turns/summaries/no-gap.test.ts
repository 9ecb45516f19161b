import fc from 'fast-check'
import { expect, it } from 'vitest'
import { sampleConfig } from '../../../support/model-request.ts'
import { runs } from '../../../support/runs.ts'
import { say, scriptedModel } from '../../../support/scripted-model.ts'
import { createTurnWorld, tool, type TurnWorld } from '../../../support/turn-world.ts'

/** A summarizer that always writes more than it is asked for. */
const wordy = () => scriptedModel(...Array.from({ length: 400 }, () => say('what was said, '.repeat(500))))

const tools = Array.from({ length: 25 }, (_, index) =>
  tool(`tool_${index}`, undefined, { description: 'Does what is needed, and says what it did. '.repeat(4) }),
)

const MARK = /item-(\d+)-end/g

/** Says things one after another; after each of them the summarizer may end its work. */
async function talk(world: TurnWorld, lengths: readonly number[], from: number): Promise<void> {
  for (const [index, words] of lengths.entries()) {
    const text = `item-${from + index}-end ${'lantern '.repeat(words)}`
    world.summaries.onEntry(await world.room.record({ kind: 'message', author: 'ann', text }))
    while ((await world.summaries.status(world.room.name)).working) await new Promise(setImmediate)
  }
}

/** Items that are neither in the summary nor in the prompt of the model. */
async function lostItems(world: TurnWorld): Promise<readonly string[]> {
  const prompt = await world.turns.prompt({ room: world.room, person: world.ann, model: 'qwen' })
  const shown = new Set([...prompt.context.matchAll(MARK)].map(([, item]) => item))
  const summary = await world.chatParts.storage.prompts.summaries.current(world.room.name)
  const log = (await world.log()).filter(({ kind }) => kind === 'message')
  return log.flatMap(({ id, text }) => {
    const item = /item-(\d+)-end/.exec(text)?.[1]
    const isSummed = summary !== undefined && id <= summary.last
    return item === undefined || isSummed || shown.has(item) ? [] : [item]
  })
}

it('every entry is in the summary or in the prompt for any window from 2,000 tokens on', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.oneof(fc.integer({ min: 2000, max: 4500 }), fc.integer({ min: 4500, max: 200_000 })),
      fc.constantFrom('openai' as const, 'openai-compatible' as const),
      fc.array(fc.integer({ min: 1, max: 45 }), { minLength: 20, maxLength: 45 }),
      async (contextWindow, backend, lengths) => {
        const memo = { settings: sampleConfig({ name: 'memo', backend }), adapter: wordy() }
        const world = await createTurnWorld(scriptedModel(), {
          summarizer: 'memo',
          more: [memo],
          tools,
          settings: { backend, contextWindow, maxOutput: Math.floor(contextWindow / 4) },
        })
        await using _ = world
        await world.summaries.checkAll()
        for (let from = 0; from < lengths.length; from += 15) {
          await talk(world, lengths.slice(from, from + 15), from)
          expect(await lostItems(world)).toEqual([])
        }
      },
    ),
    {
      numRuns: runs(12),
      examples: [
        // Long and short ones, so that as much as possible waits: only a summary that is cut to its tokens leaves space for it.
        [2000, 'openai', [1, 1, 1, 1, 28, 4, 6, 6, 27, 1, 1, 33, 10, 1, 1, 1, 1, 1, 1, 1]],
        [2000, 'openai-compatible', Array.from({ length: 45 }, () => 30)],
        [2048, 'openai', Array.from({ length: 45 }, () => 30)],
        [4096, 'openai-compatible', Array.from({ length: 45 }, () => 30)],
      ],
    },
  )
})

it('every entry is in the summary or in the prompt if the server reports a smaller window', async () => {
  const memo = { settings: sampleConfig({ name: 'memo', backend: 'openai' }), adapter: wordy() }
  const qwen = { ...scriptedModel(), inquire: async () => ({ window: 2048 }) }
  await using world = await createTurnWorld(qwen, {
    summarizer: 'memo',
    more: [memo],
    tools,
    settings: { backend: 'openai', contextWindow: 32_768, maxOutput: 8192 },
  })
  await world.turns.models()
  await world.summaries.checkAll()
  await talk(
    world,
    Array.from({ length: 40 }, () => 30),
    0,
  )
  expect(await lostItems(world)).toEqual([])
})
