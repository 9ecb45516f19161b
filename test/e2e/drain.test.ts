import { describe, beforeAll, expect, test } from 'vitest'
import { createDeferred } from '../../src/base/jobs/waiting.ts'
import { forAllTests } from '../support/for-all-tests.ts'
import { saysLater } from '../support/model-server.ts'
import { openSsh } from '../support/ssh.ts'
import { createModelStage, type ModelStage, createStage } from '../support/stage.ts'
import { cancelledTurns } from '../support/mcp/cancelled-turns.ts'
import type { AgentClient } from '../support/mcp/agent-client.ts'
import { openAgent } from '../support/mcp/agent.ts'
import { openHttpAgent } from '../support/mcp/http-agent.ts'
import type { PresenceEntry, PresenceSumEntry } from '../../src/words/entry.ts'
import { startServer } from '../support/server.ts'
import { expectNothingLost } from '../support/expect-nothing-lost.ts'
import { killUnderLoad } from '../support/kill-under-load.ts'

/** Each test ends its server, and the next one goes on with the same data: to start one takes longer than most of the tests. */
const stage = await forAllTests(createModelStage('\n[limits]\ndrain_s = 60\n', { http: true }))
await stage.claim('alice')

test('a draining server rejects logins, but answers health checks while a turn ends', async () => {
  const token = await newToken(stage)
  const get = (path: string, bearer = token) =>
    fetch(stage.server.http + path, { headers: { authorization: `Bearer ${bearer}` } })
  const goOn = createDeferred<void>()
  stage.models.play(saysLater('The first half', goOn.promise, ' and the second.'))
  const alice = await stage.open('alice', '-tt')
  await alice.waitFor(/[-─]\S* lobby/)
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

test('a second signal stops the turn that a draining server waits for', async () => {
  stage.models.play(saysLater('This beginning', new Promise(() => {}), ''))
  await using alice = await stage.open('alice', '-tt')
  await alice.waitFor(/[-─]\S* lobby/)
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

test('a draining server lets /ask finish, but ends /say and the command mcp serve', async () => {
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

describe('agents', () => {
  beforeAll(() => stage.restart('SIGTERM'))

  /** An agent of alice's over SSH and one over HTTP, which have asked the model; it has begun both answers, and bob sees it. */
  async function askAsAgents(on: ModelStage, token: string, later: Promise<void>) {
    const bob = await on.open('bob', '-tt')
    await bob.waitFor(/[-─]\S* lobby/)
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

  test('agents that wait for a model get its reply while the server drains', async () => {
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

  test('agents that wait for a mention do not keep the server from stopping', async () => {
    await stage.restart('SIGTERM')
    await using bob = await stage.open('bob', '-tt')
    await bob.waitFor(/[-─]\S* lobby/)
    await using ssh = await openAgent(stage, 'alice')
    await using http = await openHttpAgent(stage.server.http, await newToken(stage))
    const waiting = [ssh, http].map((agent) => agent.call('wait', { timeout_s: 600 }))
    await Promise.all([ssh.client.ping(), http.accepts('"wait"')])
    const stopped = stage.server.stop('SIGTERM')
    for (const one of waiting) expect((await one).text).toContain('the server is stopping')
    expect(await stopped).toBe(0)
  })

  test('an agent with a running turn can only ping and cancel while the server drains', async () => {
    await stage.restart('SIGTERM')
    await using bob = await stage.open('bob', '-tt')
    await bob.waitFor(/[-─]\S* lobby/)
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

  test('agents read that the server is stopping if it does not wait for their turns', async () => {
    await using hasty = await createModelStage('', { http: true })
    await using asking = await askAsAgents(hasty, await newToken(hasty), new Promise(() => {}))
    const stopped = hasty.server.stop('SIGTERM')
    const why = "@qwen's turn for alice was stopped: the server is stopping"
    for (const { asked } of asking.agents)
      expect(await asked).toMatchObject({ isError: true, text: expect.stringContaining(why) as string })
    expect(await stopped).toBe(0)
  })
})

test.each([{}, { modern: true as const }])(
  "a cancelled last call ends the turn and the agent's connection while the server drains, %j",
  async (era) => {
    await using bob = await stage.open('bob', '-tt')
    await bob.waitFor(/[-─]\S* lobby/)
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

const NAMES = ['ann', 'bea', 'cleo', 'dora', 'eve', 'fay']

test('people who disconnect just before a stop are stored as left, even with queued lines', async () => {
  await using stage = await createStage({ config: '[limits]\nrate_burst = 2\nrate_per_s = 1\n' })
  const sessions = await Promise.all(NAMES.map((name) => stage.open(name, '-T')))
  for (const session of sessions) {
    await session.waitFor(/[-─]\S* lobby/)
    session.write(Array.from({ length: 10 }, (_, line) => `line ${line}\n`).join(''))
  }
  for (const session of sessions) await session.waitFor('line 1\n')
  for (const session of sessions) session.child.kill('SIGKILL')
  await Promise.all(sessions.map(({ exit }) => exit))
  expect(await stage.server.stop('SIGTERM')).toBe(0)
  expect(stage.server.stderr()).not.toContain('was not stored')
  await stage.goOnWith(startServer)
  const { stdout } = await stage.as('guy', ['history', 'lobby', '--json', '-n', '1000'])
  const entries = stdout.split('\n').filter(Boolean)
  const told = entries.map((line): PresenceEntry | PresenceSumEntry => JSON.parse(line))
  const left = told.flatMap((entry) =>
    entry.event === 'summed' ? entry.left : entry.event === 'left' ? [entry.text.replace(/ left$/, '')] : [],
  )
  expect(left.filter((name) => NAMES.includes(name)).toSorted()).toEqual(NAMES)
})

test('every line that a client saw is stored once and in order after a SIGKILL under load', async () => {
  expectNothingLost(await killUnderLoad(2))
})
