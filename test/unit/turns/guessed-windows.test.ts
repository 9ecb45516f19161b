import { describe, expect, it } from 'vitest'
import { countingServer, DIALECTS } from '../../support/counting-servers.ts'
import { SILENT, speaking } from '../../support/overflow-refusals.ts'
import { json } from '../../support/ollama-wire.ts'
import { expectAnswer, servedRoom } from '../../support/served-room.ts'

const SAME = { contextWindow: 8000, maxOutput: 1000 }
const LARGER = { contextWindow: 32_768, maxOutput: 2048 }
const silent = speaking(SILENT['groq']!)

describe('a server whose refusal tells no number, and may have been of the moment', () => {
  const busy = json({ error: { code: 500, message: 'Context size has been exceeded.' } }, 500)

  it('is sent the same prompt again, and its window stays as it was', async () => {
    await using it = await servedRoom('openai-compatible', SAME)
    const { script } = countingServer(silent, { window: 8000, density: 1 })
    it.server.always(script)
    it.server.play(busy)
    await expectAnswer(it.world, 'hello')
    const [first, second] = it.server.requests.map(({ body }) => JSON.stringify(body))
    expect(second).toBe(first)
    expect(await it.world.turns.models()).toMatchObject([{ contextWindow: 8000 }])
  })

  it('is sent a shorter prompt while it goes on, which the next turn does not begin with', async () => {
    await using it = await servedRoom('openai-compatible', SAME)
    const { script } = countingServer(silent, { window: 8000, density: 1 })
    it.server.always(script)
    it.server.play(busy, busy, busy)
    await expectAnswer(it.world, 'hello')
    const sizes = it.server.requests.map(({ body }) => JSON.stringify(body).length)
    expect(sizes[3]).toBeLessThan(sizes[0]! * 0.7)
    expect(await it.world.turns.models()).toMatchObject([{ contextWindow: 8000 }])
  })
})

it('a guess is not below what the model has taken before, and is half of what was refused if nothing is known', async () => {
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

it('a guess does not shrink while answers show that the server counts twice as many tokens', async () => {
  await using it = await servedRoom('openai-compatible', { contextWindow: 4096, maxOutput: 1024 })
  const { script, tally } = countingServer(silent, { window: 4096, density: 2 })
  it.server.always(script)
  for (let ask = 0; ask < 4; ask++) await expectAnswer(it.world, `ask ${ask}`)
  expect(tally.refused).toHaveLength(1)
  const [first, ...later] = tally.accepted
  expect(first).toBeGreaterThan(4096 * 0.5)
  for (const tokens of later) expect(tokens).toBeGreaterThan(first! * 0.9)
})

it('the numbers of a llama.cpp with a byte tokenizer are believed', async () => {
  await using it = await servedRoom('llamacpp', { contextWindow: 16_384, maxOutput: 1024 })
  const { script, tally } = countingServer(DIALECTS['llamacpp']!, { window: 16_384, density: 5.5 })
  it.server.always(script)
  for (let ask = 0; ask < 4; ask++) await expectAnswer(it.world, `ask ${ask}`)
  expect(tally.refused).toHaveLength(1)
  for (const tokens of tally.accepted) expect(tokens).toBeGreaterThan(16_384 * 0.6)
})
