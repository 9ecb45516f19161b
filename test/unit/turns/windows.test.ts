import { describe, expect, it } from 'vitest'
import { requestsOf } from '../../../src/turns/turn-log.ts'
import { countingServer, type Dialect, type TrueModel, DIALECTS } from '../../support/counting-servers.ts'
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

it.each(Object.entries(TELLING))(
  'a server that reports the prompt length in the words of %s refuses once',
  async (_name, refuses) => {
    expect(await refusalsOfAsks(speaking(refuses), { window: 8000, density: 1.66 }, SAME)).toEqual([1, 0])
  },
)

const dialects = [
  ...Object.entries(SILENT).map(([name, refuses]) => [name, speaking(refuses)] as const),
  ...OTHER_DIALECTS,
]

it.each(dialects)(
  'a server that does not report the prompt length, in the words of %s, refuses once',
  async (_name, dialect) => {
    expect(await refusalsOfAsks(dialect, { window: 8000, density: 2 }, SAME)).toEqual([1, 0])
  },
)

it('a server with a quarter of the configured window refuses one prompt in a room with few messages', async () => {
  const silent = speaking(SILENT['groq']!)
  expect(await refusalsOfAsks(silent, { window: 8192, density: 1.2 }, LARGER, 18)).toEqual([1, 0])
})

it('a server with a far smaller window refuses until a prompt fits, but accepts the next one', async () => {
  const silent = speaking(SILENT['groq']!)
  expect(await refusalsOfAsks(silent, { window: 4000, density: 1 }, LARGER)).toEqual([3, 0])
})

it('an implausible window in a refusal does not lower the known window', async () => {
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

it('a guessed window is exceeded for a message that needs more', async () => {
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

const silent = speaking(SILENT['groq']!)

const busy = json({ error: { code: 500, message: 'Context size has been exceeded.' } }, 500)

it('a server that may be busy gets the same prompt again, and its window is not lowered', async () => {
  await using it = await servedRoom('openai-compatible', SAME)
  const { script } = countingServer(silent, { window: 8000, density: 1 })
  it.server.always(script)
  it.server.play(busy)
  await expectAnswer(it.world, 'hello')
  const [first, second] = it.server.requests.map(({ body }) => JSON.stringify(body))
  expect(second).toBe(first)
  expect(await it.world.turns.models()).toMatchObject([{ contextWindow: 8000 }])
})

it('a server that stays busy gets a shorter prompt, but the window for later turns is not lowered', async () => {
  await using it = await servedRoom('openai-compatible', SAME)
  const { script } = countingServer(silent, { window: 8000, density: 1 })
  it.server.always(script)
  it.server.play(busy, busy, busy)
  await expectAnswer(it.world, 'hello')
  const sizes = it.server.requests.map(({ body }) => JSON.stringify(body).length)
  expect(sizes[3]).toBeLessThan(sizes[0]! * 0.7)
  expect(await it.world.turns.models()).toMatchObject([{ contextWindow: 8000 }])
})

it('a guessed window is not smaller than a prompt that the model accepted before', async () => {
  await using it = await servedRoom('openai-compatible', LARGER, 24)
  const { script, tally } = countingServer(silent, { window: 14_000, density: 1 })
  it.server.always(script)
  await expectAnswer(it.world, 'short')
  const [taken] = tally.accepted
  for (let number = 0; number < 20; number++) {
    const text = `${number}: ${'a quick brown fox jumps over a lazy dog, again; '.repeat(30)}`
    await it.world.room.record({ kind: 'message', author: 'ann', text })
  }
  await expectAnswer(it.world, 'long')
  expect(tally.refused).toHaveLength(1)
  expect(tally.refused[0]).toBeGreaterThan(taken! * 1.3)
  expect(tally.accepted[1]).toBeGreaterThan(taken! * 0.9)
})

it('a guessed window stays stable if the server counts twice as many tokens', async () => {
  await using it = await servedRoom('openai-compatible', { contextWindow: 4096, maxOutput: 1024 })
  const { script, tally } = countingServer(silent, { window: 4096, density: 2 })
  it.server.always(script)
  for (let ask = 0; ask < 4; ask++) await expectAnswer(it.world, `ask ${ask}`)
  expect(tally.refused).toHaveLength(1)
  const [first, ...later] = tally.accepted
  expect(first).toBeGreaterThan(4096 * 0.5)
  for (const tokens of later) expect(tokens).toBeGreaterThan(first! * 0.9)
})

it('the token counts of a llama.cpp with a byte tokenizer are used', async () => {
  await using it = await servedRoom('llamacpp', { contextWindow: 16_384, maxOutput: 1024 })
  const { script, tally } = countingServer(DIALECTS['llamacpp']!, { window: 16_384, density: 5.5 })
  it.server.always(script)
  for (let ask = 0; ask < 4; ask++) await expectAnswer(it.world, `ask ${ask}`)
  expect(tally.refused).toHaveLength(1)
  for (const tokens of tally.accepted) expect(tokens).toBeGreaterThan(16_384 * 0.6)
})

async function expectRoomIsFound(dialect: Dialect, model: TrueModel): Promise<number> {
  await using it = await servedRoom(dialect.backend)
  const { script, tally } = countingServer(dialect, model)
  it.server.always(script)
  for (let round = 0; round < 3; round++) {
    for (const { prompt } of await expectAnswer(it.world, `round ${round}`)) {
      const { used, target, window, reserved_output } = prompt.budget
      expect(used).toBeLessThanOrEqual(target)
      expect(used).toBeLessThanOrEqual(window - reserved_output)
      expect(target + reserved_output).toBeLessThanOrEqual(window)
    }
  }
  expect(tally.accepted).toHaveLength(3)
  return tally.refused.length
}

describe.each(Object.entries(DIALECTS))('a server with the error messages of %s', (_name, dialect) => {
  it('a server that counts two thirds more tokens refuses at most one prompt', async () => {
    const refusals = await expectRoomIsFound(dialect, { window: 8000, density: 1.66 })
    expect(refusals).toBeLessThanOrEqual(1)
  })

  it('a server with a smaller window than configured refuses at most one prompt', async () => {
    const refusals = await expectRoomIsFound(dialect, { window: 5000, density: 1.1 })
    expect(refusals).toBeLessThanOrEqual(dialect.facts ? 0 : 1)
  })
})
