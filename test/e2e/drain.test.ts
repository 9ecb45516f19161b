import { expect, test } from 'vitest'
import { createDeferred } from '../../src/lib/deferred.ts'
import { openAgent } from '../support/mcp/agent.ts'
import { openHttpAgent } from '../support/mcp/http-agent.ts'
import { saysLater } from '../support/model-server.ts'
import { openSsh } from '../support/ssh.ts'
import { createModelStage, type ModelStage } from '../support/stage.ts'

const DRAINING = '\n[limits]\ndrain_s = 60\n'

test('a server that stops says goodbye, lets nobody in, and lets a model end its turn', async () => {
  await using stage = await createModelStage(DRAINING)
  const goOn = createDeferred<void>()
  stage.models.play(saysLater('The first half', goOn.promise, ' and the second.'))
  const alice = await stage.open('alice', '-tt')
  await alice.waitFor('-- lobby')
  alice.write('@qwen tell me all of it\r')
  await alice.waitFor('The first half')
  const stopped = stage.server.stop('SIGTERM')
  await alice.waitFor('The server is going down. Goodbye.')
  expect(await stage.as('bob', ['whoami'])).toMatchObject({ exitCode: 255 })
  goOn.resolve()
  expect(await stopped).toBe(0)
  await stage.restart('SIGTERM')
  const { stdout } = await stage.as('alice', ['history', 'lobby'])
  expect(stdout).toContain('The first half and the second.')
  expect(stdout).not.toContain('cut off')
})

test('a second signal stops the turn that the server waits for', async () => {
  await using stage = await createModelStage(DRAINING)
  stage.models.play(saysLater('The first half', new Promise(() => {}), ''))
  await using alice = await stage.open('alice', '-tt')
  await alice.waitFor('-- lobby')
  alice.write('@qwen tell me all of it\r')
  await alice.waitFor('The first half')
  const stopped = stage.server.stop('SIGTERM')
  await alice.waitFor('The server is going down. Goodbye.')
  stage.server.process.kill('SIGINT')
  expect(await stopped).toBe(0)
  await stage.restart('SIGTERM')
  const { stdout } = await stage.as('alice', ['history', 'lobby'])
  expect(stdout).toContain('@qwen was stopped: the server is stopping')
})

test('a script that asked has its answer; what serves without end is over at once, and what waits for input with the turns', async () => {
  await using stage = await createModelStage(DRAINING)
  const target = { user: 'alice', port: stage.server.port, key: await stage.home.key('alice') }
  const goOn = createDeferred<void>()
  stage.models.play(saysLater('The first half', goOn.promise, ' and the second.'))
  await using asking = openSsh(target, ['ask', 'lobby', '@qwen', 'tell me all of it'])
  await asking.waitFor('The first half')
  await using agent = openSsh(target, ['mcp', 'serve'])
  agent.write(`${JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'ping' })}\n`)
  await agent.waitFor('"id":1')
  await using saying = openSsh(target, ['say', 'lobby'])
  saying.write('half a line')
  const stopped = stage.server.stop('SIGTERM')
  await agent.exit
  expect(stage.server.process.exitCode).toBe(null)
  goOn.resolve()
  expect(await asking.exit).toBe(0)
  expect(asking.output()).toContain('The first half and the second.')
  expect(await saying.exit).not.toBe(0)
  expect(await stopped).toBe(0)
})

/** An agent of alice's that has asked the model, which has begun its answer, and bob, who sees it. */
async function askAsAgent(stage: ModelStage, by: string) {
  const token = (await stage.as('alice', ['token', 'new'])).stdout.trim()
  const agent = by === 'SSH' ? await openAgent(stage, 'alice') : await openHttpAgent(stage.server.http, token)
  const bob = await stage.open('bob', '-tt')
  await bob.waitFor('-- lobby')
  const asked = agent.call('ask_model', { room: 'lobby', model: 'qwen', text: 'tell me all of it' })
  await bob.waitFor('The first half')
  return { agent, asked, bob }
}

test.each(['SSH', 'HTTP'])('the call of an agent over %s that waits for a model is answered', async (by) => {
  await using stage = await createModelStage(DRAINING, { http: true })
  const goOn = createDeferred<void>()
  stage.models.play(saysLater('The first half', goOn.promise, ' and the second.'))
  const { agent, asked, bob } = await askAsAgent(stage, by)
  await using _agent = agent
  await using _bob = bob
  const stopped = stage.server.stop('SIGTERM')
  await bob.waitFor('The server is going down. Goodbye.')
  goOn.resolve()
  expect(await asked).toMatchObject({
    text: expect.stringContaining('The first half and the second.') as string,
  })
  expect(await stopped).toBe(0)
})

test.each(['SSH', 'HTTP'])(
  'an agent over %s that nobody waits for reads that the server stops',
  async (by) => {
    await using stage = await createModelStage('', { http: true })
    stage.models.play(saysLater('The first half', new Promise(() => {}), ''))
    const { agent, asked, bob } = await askAsAgent(stage, by)
    await using _agent = agent
    await using _bob = bob
    const stopped = stage.server.stop('SIGTERM')
    const why = "@qwen's turn for alice was stopped: the server is stopping"
    expect(await asked).toMatchObject({ isError: true, text: expect.stringContaining(why) as string })
    expect(await stopped).toBe(0)
  },
)
