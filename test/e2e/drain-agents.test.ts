import { afterAll, beforeAll, expect, test } from 'vitest'
import { createDeferred } from '../../src/lib/jobs/waiting.ts'
import { cancelledTurns } from '../support/mcp/cancelled-turns.ts'
import type { AgentClient } from '../support/mcp/agent-client.ts'
import { openAgent } from '../support/mcp/agent.ts'
import { openHttpAgent } from '../support/mcp/http-agent.ts'
import { saysLater } from '../support/model-server.ts'
import { createModelStage, type ModelStage } from '../support/stage.ts'

/** Each test ends its server, and the next one goes on with the same data: to start one takes longer than most of the tests. */
let stage: ModelStage
beforeAll(async () => {
  stage = await createModelStage('\n[limits]\ndrain_s = 60\n', { http: true })
  await stage.claim('alice')
})
afterAll(() => stage[Symbol.asyncDispose]())

/** An agent of alice's over SSH and one over HTTP, which have asked the model; it has begun both answers, and bob sees it. */
async function askAsAgents(on: ModelStage, token: string, later: Promise<void>) {
  const bob = await on.open('bob', '-tt')
  await bob.waitFor(/[-─] lobby/)
  const ask = async (agent: AgentClient, by: string) => {
    on.models.play(saysLater(`A half over ${by}`, later, ` and the rest over ${by}.`))
    const asked = agent.call('ask_model', { room: 'lobby', model: 'qwen', text: 'tell me all of it' })
    await bob.waitFor(`A half over ${by}`)
    return { agent, asked, by }
  }
  const agents = [
    await ask(await openAgent(on, 'alice'), 'SSH'),
    await ask(await openHttpAgent(on.server.http, token), 'HTTP'),
  ]
  const end = async (): Promise<void> => {
    for (const one of [...agents.map(({ agent }) => agent), bob]) await one[Symbol.asyncDispose]()
  }
  return { agents, bob, [Symbol.asyncDispose]: end }
}

const newToken = async (on: ModelStage): Promise<string> =>
  (await on.as('alice', ['token', 'new'])).stdout.trim()

test('the calls of agents over SSH and HTTP that wait for a model are answered', async () => {
  const goOn = createDeferred<void>()
  await using asking = await askAsAgents(stage, await newToken(stage), goOn.promise)
  const stopped = stage.server.stop('SIGTERM')
  await asking.bob.waitFor('The server is going down. Goodbye.')
  goOn.resolve()
  for (const { asked, by } of asking.agents)
    expect(await asked).toMatchObject({
      text: expect.stringContaining(`A half over ${by} and the rest over ${by}.`) as string,
    })
  expect(await stopped).toBe(0)
})

test('agents over SSH and HTTP that wait for a line that names them hold up no stop', async () => {
  await stage.restart('SIGTERM')
  await using bob = await stage.open('bob', '-tt')
  await bob.waitFor(/[-─] lobby/)
  await using ssh = await openAgent(stage, 'alice')
  await using http = await openHttpAgent(stage.server.http, await newToken(stage))
  const waiting = [ssh, http].map((agent) => agent.call('wait', { timeout_s: 600 }))
  for (const agent of [ssh, http]) await agent.client.ping()
  const stopped = stage.server.stop('SIGTERM')
  for (const one of waiting) expect((await one).text).toContain('the server is stopping')
  expect(await stopped).toBe(0)
})

test('an agent over SSH that waits for a model reads that nothing new begins, and may still ping and cancel', async () => {
  await stage.restart('SIGTERM')
  await using bob = await stage.open('bob', '-tt')
  await bob.waitFor(/[-─] lobby/)
  await using agent = await openAgent(stage, 'alice')
  const goOn = createDeferred<void>()
  const cancel = new AbortController()
  const ask = (text: string, signal?: AbortSignal) =>
    agent.call('ask_model', { room: 'lobby', model: 'qwen', text }, signal)
  stage.models.play(saysLater('Half of the first', goOn.promise, ' and its rest.'))
  const first = ask('one')
  await bob.waitFor('Half of the first')
  stage.models.play(saysLater('Half of the second', new Promise(() => {}), ''))
  const second = ask('two', cancel.signal)
  await bob.waitFor('Half of the second')
  const stopped = stage.server.stop('SIGTERM')
  await bob.waitFor('The server is going down. Goodbye.')
  for (const begin of [() => agent.call('say', { room: 'lobby', text: 'too late' }), () => ask('three')])
    await expect(begin()).rejects.toThrow('the server is stopping; ask again when it is back')
  await agent.client.ping()
  const abandoned = stage.models.abandoned()
  cancel.abort()
  await expect(second).rejects.toThrow()
  await abandoned
  goOn.resolve()
  expect(await first).toMatchObject({
    isError: false,
    text: expect.stringContaining('Half of the first and its rest.') as string,
  })
  await agent.closed
  expect(await stopped).toBe(0)
  await stage.restart('SIGTERM')
  expect(await cancelledTurns(stage)).toBe(1)
  expect((await stage.as('alice', ['history', 'lobby'])).stdout).not.toMatch(/too late|three/)
})

test('agents over SSH and HTTP that nobody waits for read that the server stops', async () => {
  await using hasty = await createModelStage('', { http: true })
  await using asking = await askAsAgents(hasty, await newToken(hasty), new Promise(() => {}))
  const stopped = hasty.server.stop('SIGTERM')
  const why = "@qwen's turn for alice was stopped: the server is stopping"
  for (const { asked } of asking.agents)
    expect(await asked).toMatchObject({ isError: true, text: expect.stringContaining(why) as string })
  expect(await stopped).toBe(0)
})
