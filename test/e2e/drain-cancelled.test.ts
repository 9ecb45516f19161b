import { afterAll, beforeAll, expect, test } from 'vitest'
import { openAgent } from '../support/mcp/agent.ts'
import { cancelledTurns } from '../support/mcp/cancelled-turns.ts'
import { saysLater } from '../support/model-server.ts'
import { createModelStage, type ModelStage } from '../support/stage.ts'

/** Each test ends its server, and the next one goes on with the same data. */
let stage: ModelStage
beforeAll(async () => {
  stage = await createModelStage('\n[limits]\ndrain_s = 60\n')
  await stage.claim('alice')
})
afterAll(() => stage[Symbol.asyncDispose]())

test.each([{}, { modern: true as const }])(
  'the last call of an agent over SSH that is cancelled while the server drains ends so, and then the agent, %j',
  async (era) => {
    await using bob = await stage.open('bob', '-tt')
    await bob.waitFor(/[-─] lobby/)
    await using agent = await openAgent(stage, 'alice', era)
    const before = await cancelledTurns(stage)
    const cancel = new AbortController()
    const half = `Half of the last of ${before}`
    stage.models.play(saysLater(half, new Promise(() => {}), ''))
    const asked = agent.call('ask_model', { room: 'lobby', model: 'qwen', text: 'four' }, cancel.signal)
    await bob.waitFor(half)
    const stopped = stage.server.stop('SIGTERM')
    await bob.waitFor('The server is going down. Goodbye.')
    cancel.abort()
    await expect(asked).rejects.toThrow()
    await agent.closed
    expect(await stopped).toBe(0)
    await stage.restart('SIGTERM')
    expect(await cancelledTurns(stage)).toBe(before + 1)
  },
)
