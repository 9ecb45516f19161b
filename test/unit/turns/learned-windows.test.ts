import { describe, expect, it } from 'vitest'
import { requestsOf } from '../../../src/turns/turn-log.ts'
import { countingServer, type Dialect, type TrueModel } from '../../support/counting-servers.ts'
import { OTHER_DIALECTS, SILENT, speaking, TELLING } from '../../support/overflow-refusals.ts'
import { json } from '../../support/ollama-wire.ts'
import { expectAnswer, servedRoom } from '../../support/served-room.ts'

/** Asks twice, and expects two answers and that nothing was sent twice. Gives the refusals of each ask. */
async function refusalsOfAsks(
  dialect: Dialect,
  model: TrueModel,
  config: { readonly contextWindow: number; readonly maxOutput: number },
  messages = 40,
): Promise<readonly number[]> {
  await using it = await servedRoom(dialect.backend, config, messages)
  const { script, tally } = countingServer(dialect, model)
  it.server.always(script)
  const refusals: number[] = []
  for (let ask = 0; ask < 2; ask++) {
    const before = tally.refused.length
    await expectAnswer(it.world, `ask ${ask}`)
    refusals.push(tally.refused.length - before)
  }
  const bodies = it.server.requests.map(({ body }) => JSON.stringify(body))
  expect(new Set(bodies).size).toBe(bodies.length)
  return refusals
}

const SAME = { contextWindow: 8000, maxOutput: 1000 }
const LARGER = { contextWindow: 32_768, maxOutput: 2048 }

describe('a server that tells how long a prompt was', () => {
  it.each(Object.entries(TELLING))('in the words of %s refuses once', async (_name, refuses) => {
    expect(await refusalsOfAsks(speaking(refuses), { window: 8000, density: 1.66 }, SAME)).toEqual([1, 0])
  })
})

describe('a server that does not tell how long a prompt was', () => {
  const dialects = [
    ...Object.entries(SILENT).map(([name, refuses]) => [name, speaking(refuses)] as const),
    ...OTHER_DIALECTS,
  ]

  it.each(dialects)('in the words of %s refuses once', async (_name, dialect) => {
    expect(await refusalsOfAsks(dialect, { window: 8000, density: 2 }, SAME)).toEqual([1, 0])
  })

  it('and holds a quarter of what the config says refuses a prompt once that filled little of it', async () => {
    const silent = speaking(SILENT['groq']!)
    expect(await refusalsOfAsks(silent, { window: 8192, density: 1.2 }, LARGER, 18)).toEqual([1, 0])
  })

  it('and holds far less than the config says refuses until a prompt fits, which the next ask begins with', async () => {
    const silent = speaking(SILENT['groq']!)
    expect(await refusalsOfAsks(silent, { window: 4000, density: 1 }, LARGER)).toEqual([3, 0])
  })
})

describe('a server whose refusal cannot be true', () => {
  it('fails with its own words each time, and shuts nobody out', async () => {
    await using it = await servedRoom('openai-compatible', SAME)
    let broken = true
    const untrue = speaking(() => json({ message: "This model's maximum context length is 10 tokens" }, 400))
    const { script } = countingServer(untrue, { window: 8000, density: 1 })
    const { script: refusing } = countingServer(untrue, { window: 0, density: 1 })
    it.server.always((response, request) => (broken ? refusing : script)(response, request))
    for (const text of ['a', 'b']) {
      const turn = await it.world.start(text)
      expect((await turn.done).text).toBe(
        "@qwen: the provider refused the request with status 400 (This model's maximum context length is 10 tokens)",
      )
    }
    const [status] = await it.world.turns.models()
    expect(status).toMatchObject({ contextWindow: 8000 })
    broken = false
    const [request] = await expectAnswer(it.world, 'c')
    expect(request!.prompt.budget.window).toBe(8000)
  })
})

it('a window that a refusal taught, and half of a prompt, give way to a message that needs more', async () => {
  await using it = await servedRoom('openai-compatible', SAME)
  const { script, tally } = countingServer(speaking(SILENT['groq']!), { window: 6000, density: 1 })
  it.server.always(script)
  await expectAnswer(it.world, 'short')
  expect(tally.refused).toHaveLength(1)
  const turn = await it.world.start('words '.repeat(3300))
  expect(await turn.done).toMatchObject({ kind: 'reply', outcome: 'done' })
  const [request] = requestsOf((await it.world.chatParts.storage.models.turns.find(turn.id))!)
  expect(request!.prompt.budget.message).toBeGreaterThan(3300)
})
