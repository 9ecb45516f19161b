import { afterAll, beforeAll, expect, test } from 'vitest'
import { createDeferred } from '../../src/lib/jobs/waiting.ts'
import { saysLater } from '../support/model-server.ts'
import { openSsh } from '../support/ssh.ts'
import { createModelStage, type ModelStage } from '../support/stage.ts'

/** Each test ends its server, and the next one goes on with the same data: to start one takes longer than most of the tests. */
let stage: ModelStage
beforeAll(async () => {
  stage = await createModelStage('\n[limits]\ndrain_s = 60\n', { http: true })
})
afterAll(() => stage[Symbol.asyncDispose]())

test('a server that stops says goodbye, lets nobody in, answers those who watch it, and lets a model end its turn', async () => {
  await stage.claim('alice')
  const token = await newToken(stage)
  const get = (path: string, bearer = token) =>
    fetch(stage.server.http + path, { headers: { authorization: `Bearer ${bearer}` } })
  const goOn = createDeferred<void>()
  stage.models.play(saysLater('The first half', goOn.promise, ' and the second.'))
  const alice = await stage.open('alice', '-tt')
  await alice.waitFor(/[-─] lobby/)
  alice.write('@qwen tell me all of it\r')
  await alice.waitFor('The first half')
  const stopped = stage.server.stop('SIGTERM')
  await alice.waitFor('The server is going down. Goodbye.')
  expect(await alice.exit).toBe(255)
  expect(await stage.as('bob', ['whoami'])).toMatchObject({ exitCode: 255 })
  const ready = await get('/readyz')
  expect([ready.status, await ready.text()]).toEqual([503, 'the server is stopping\n'])
  expect((await get('/healthz')).status).toBe(200)
  expect(await (await get('/metrics')).text()).toMatch(/^sshawl_turns_running\S* 1$/m)
  expect((await get('/metrics', 'wrong')).status).toBe(401)
  expect([(await get('/mcp')).status, (await get('/oauth/callback')).status]).toEqual([503, 503])
  goOn.resolve()
  expect(await stopped).toBe(0)
  const log = stage.server.stderr()
  expect(log).toMatch(/"signal":"SIGTERM".*"the server is stopping"/)
  expect(log).toMatch(/"sessions":1,"turns":1,"seconds":60.*"draining: /)
  expect(log).toMatch(/"turns":0.*"drained.*\n.*"the server has stopped"/)
  await expect(get('/healthz')).rejects.toThrow('fetch failed')
  await stage.restart('SIGTERM')
  const { stdout } = await stage.as('alice', ['history', 'lobby'])
  expect(stdout).toContain('The first half and the second.')
  expect(stdout).not.toContain('cut off')
})

test('a second signal stops the turn that the server waits for', async () => {
  stage.models.play(saysLater('This beginning', new Promise(() => {}), ''))
  await using alice = await stage.open('alice', '-tt')
  await alice.waitFor(/[-─] lobby/)
  alice.write('@qwen tell me all of it\r')
  await alice.waitFor('This beginning')
  const stopped = stage.server.stop('SIGTERM')
  await alice.waitFor('The server is going down. Goodbye.')
  stage.server.process.kill('SIGINT')
  expect(await stopped).toBe(0)
  await stage.restart('SIGTERM')
  const { stdout } = await stage.as('alice', ['history', 'lobby'])
  expect(stdout).toContain('@qwen was stopped: the server is stopping')
})

test('a script that asked has its answer; what serves without end is over at once, and what waits for input with the turns', async () => {
  const target = { user: 'alice', port: stage.server.port, key: await stage.home.key('alice') }
  const goOn = createDeferred<void>()
  stage.models.play(saysLater('Its first half', goOn.promise, ' and the second.'))
  await using asking = openSsh(target, ['ask', 'lobby', '@qwen', 'tell me all of it'])
  await asking.waitFor('Its first half')
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
  expect(asking.output()).toContain('Its first half and the second.')
  expect(await saying.exit).not.toBe(0)
  expect(await stopped).toBe(0)
})

const newToken = async (on: ModelStage): Promise<string> =>
  (await on.as('alice', ['token', 'new'])).stdout.trim()
