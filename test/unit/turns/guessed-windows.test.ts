import { describe, expect, it } from 'vitest'
import { countingServer } from '../../support/counting-servers.ts'
import { SILENT, speaking } from '../../support/overflow-refusals.ts'
import { json } from '../../support/ollama-wire.ts'
import { expectAnswer, servedRoom } from '../../support/served-room.ts'

const SAME = { contextWindow: 8000, maxOutput: 1000 }
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
