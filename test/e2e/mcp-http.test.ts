import { once } from 'node:events'
import { connect, createServer, type AddressInfo, type Socket } from 'node:net'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { forAllTests } from '../support/for-all-tests.ts'
import { INITIALIZE, openHttpAgent, postMcp } from '../support/mcp/http-agent.ts'
import { createStageHere } from '../support/stage.ts'
import { rawHttp } from '../support/raw-http.ts'
import type { AgentClient } from '../support/mcp/agent-client.ts'
import { openAgent } from '../support/mcp/agent.ts'

const stage = await forAllTests(
  createStageHere({
    isShared: true,
    config:
      '[limits]\nexec_per_person = 3\nhttp_body_bytes = 20000\nrooms_per_person = 40\nrate_burst = 1000\nrate_per_s = 1000\n',
    http: true,
  }),
)
const base = stage.server.http
await stage.claim('rhea')
for (const line of ['create hall', 'create den --private', 'create attic --private'])
  await stage.as('alice', line.split(' '))

const made = async (name: string, ...flags: readonly string[]): Promise<{ token: string; id: number }> =>
  JSON.parse((await stage.as(name, ['token', 'new', '--json', ...flags])).stdout)
const post = (...request: Parameters<typeof postMcp> extends [string, ...infer Rest] ? Rest : never) =>
  postMcp(base, ...request)
const tokenOf = async (name: string, ...flags: readonly string[]) => (await made(name, ...flags)).token

describe.each([{}, { modern: true as const }])('the official MCP client, %j', (era) => {
  test("the official MCP client lists tools, speaks as the token's person and reads that back", async () => {
    await using agent = await openHttpAgent(base, await tokenOf('bob'), era)
    const { tools } = await agent.client.listTools()
    expect(tools.map(({ name }) => name)).toEqual(
      expect.arrayContaining(['say', 'history', 'ask_model', 'tools_run']),
    )
    await agent.call('join', { room: 'lobby' })
    expect(await agent.call('say', { room: 'lobby', text: `hello ${JSON.stringify(era)}` })).toMatchObject({
      isError: false,
    })
    const { text } = await agent.call('history', { room: 'lobby', limit: 3 })
    expect(text).toMatch(/"author":"bob","text":"hello \{/)
    const { contents } = await agent.client.readResource({ uri: 'room://lobby/log' })
    expect(JSON.stringify(contents)).toContain('hello')
  })
})

test('a request over HTTP with an id beyond 2^53 is answered with the same digits', async () => {
  const token = await tokenOf('bob')
  const withId = (message: object) => JSON.stringify(message).replace('"id":1', '"id":9007199254740993')
  const opened = await post(token, withId(INITIALIZE))
  expect(await opened.text()).toContain('"id":9007199254740993')
  const session = { 'mcp-session-id': opened.headers.get('mcp-session-id')! }
  const call = { name: 'search', arguments: { words: '9007199254740993' } }
  const asked = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: call }
  expect(await (await post(token, withId(asked), session)).text()).toMatch(/"id":9007199254740993[,}]/)
  const { clientInfo: _, ...params } = INITIALIZE.params
  expect(await (await post(token, withId({ ...INITIALIZE, params }))).text()).toMatch(
    /initialize has invalid params.clientInfo: .*"id":9007199254740993\}/,
  )
})

test('a request with Accept: */* or without Accept, or to /mcp/, begins a session', async () => {
  const token = await tokenOf('bob')
  expect((await post(token, INITIALIZE, { accept: '*/*' })).status).toBe(200)
  using raw = await rawHttp(base)
  const body = JSON.stringify(INITIALIZE)
  const headers = ['Host: localhost', `Authorization: Bearer ${token}`, 'Content-Type: application/json']
  const lines = [...headers, `Content-Length: ${body.length}`, '', body]
  raw.write(['POST /mcp/ HTTP/1.1', ...lines].join('\r\n'))
  expect((await raw.until('\r\n0\r\n')).statuses).toEqual([200])
  expect((await post(token, INITIALIZE, { accept: 'application/json' })).status).toBe(406)
})

test.each(['/.well-known/oauth-protected-resource/mcp', '/.well-known/openid-configuration', '/register'])(
  'a client that looks for OAuth at %s gets 404 and JSON',
  async (path) => {
    for (const method of ['GET', 'POST']) {
      const response = await fetch(`${base}${path}`, { method, ...(method === 'POST' ? { body: '{}' } : {}) })
      expect([response.status, response.headers.get('content-type')]).toEqual([404, 'application/json'])
      expect(await response.json()).toMatchObject({ error: 'not_found' })
    }
  },
)

test('a direct message reaches a listening agent over HTTP, unless its token is bound to rooms', async () => {
  const [whole, bound] = [await tokenOf('gina'), await tokenOf('gina', '--rooms', 'lobby')]
  await stage.as('alice', ['msg', 'gina', 'for you alone'])
  const opened = await post(whole, INITIALIZE)
  const id = opened.headers.get('mcp-session-id')!
  await opened.body?.cancel()
  // It has no stream to be told on.
  await post(whole, { jsonrpc: '2.0', method: 'notifications/initialized' }, { 'mcp-session-id': id })
  await using narrow = await openHttpAgent(base, bound)
  await narrow.call('list_rooms')
  await using agent = await openHttpAgent(base, whole)
  await agent.waitFor('for you alone')
  await stage.as('alice', ['msg', 'gina', 'and this'])
  await agent.waitFor('and this')
  await narrow.client.ping()
  expect(JSON.stringify(narrow.heard)).not.toMatch('alone|and this')
})

test('the end of one subscription leaves another one to the same room open', async () => {
  await using agent = await openHttpAgent(base, await tokenOf('bob'), { modern: true })
  const open = () => agent.client.listen({ resourceSubscriptions: ['room://hall/log'] })
  const [one, other] = [await open(), await open()]
  await one.close()
  await stage.as('alice', ['say', 'hall', 'for the other'])
  await agent.waitFor('room://hall/log')
  await other.close()
})

test('the official MCP client reconnects after broken connections and finds missed lines in history', async () => {
  using relay = await openRelay()
  await using agent = await openHttpAgent(relay.base, await tokenOf('gus'))
  await agent.call('join', { room: 'lobby' })
  await stage.as('alice', ['say', 'lobby', 'first'])
  await agent.waitFor('first')
  relay.breakAll()
  await stage.as('alice', ['say', 'lobby', 'while you were away'])
  const hears = async (): Promise<boolean> => {
    await stage.as('alice', ['say', 'lobby', 'are you back?'])
    return JSON.stringify(agent.heard).includes('are you back?')
  }
  await expect.poll(hears, { timeout: 20_000 }).toBe(true)
  expect((await agent.call('history', { room: 'lobby' })).text).toContain('while you were away')
})

test('concurrent requests of a token share one agent, which can leave the rooms that it joined', async () => {
  const token = await tokenOf('grace')
  const meta = {
    'io.modelcontextprotocol/protocolVersion': '2026-07-28',
    'io.modelcontextprotocol/clientInfo': { name: 't', version: '1' },
    'io.modelcontextprotocol/clientCapabilities': {},
  }
  const call = async (name: string, room: string): Promise<string> => {
    const params = { name, arguments: { room }, _meta: meta }
    const headers = { 'mcp-protocol-version': '2026-07-28', 'mcp-method': 'tools/call', 'mcp-name': name }
    return await (await post(token, { jsonrpc: '2.0', id: 1, method: 'tools/call', params }, headers)).text()
  }
  const rooms = ['lobby', 'hall', 'lobby', 'hall']
  for (const joined of await Promise.all(rooms.map((room) => call('join', room))))
    expect(joined).toContain('you are in')
  for (const room of ['lobby', 'hall']) {
    expect(await call('leave', room)).not.toContain('join it first')
    expect((await stage.as('alice', ['who', room])).stdout).not.toContain('grace')
  }
})

/** A way to the server that breaks when the test says so. */
async function openRelay() {
  const sockets = new Set<Socket>()
  const { hostname, port } = new URL(base)
  const relay = createServer((near) => {
    const far = connect(Number(port), hostname)
    for (const [from, to] of [
      [near, far],
      [far, near],
    ] as const) {
      sockets.add(from)
      from.pipe(to)
      from.on('error', () => to.destroy()).on('close', () => to.destroy())
    }
  })
  relay.listen(0, '127.0.0.1')
  await once(relay, 'listening')
  const breakAll = (): void => {
    for (const socket of sockets) socket.destroy()
    sockets.clear()
  }
  return {
    base: `http://127.0.0.1:${(relay.address() as AddressInfo).port}`,
    breakAll,
    [Symbol.dispose]() {
      breakAll()
      relay.close()
    },
  }
}

test.each([{}, { modern: true as const }])(
  "a room outside of a token's rooms is answered like a room that does not exist, %j",
  async (era) => {
    await using agent = await openHttpAgent(base, await tokenOf('alice', '--rooms', 'den'), era)
    const rooms = await agent.call('list_rooms')
    expect(rooms.text).toContain('den')
    for (const name of ['hall', 'attic', 'lobby']) expect(rooms.text).not.toContain(name)
    const uses: readonly (readonly [string, (room: string) => object])[] = [
      ['join', (room) => ({ room })],
      ['say', (room) => ({ room, text: 'hi' })],
      ['history', (room) => ({ room })],
      ['wait', (room) => ({ room, timeout_s: 1 })],
      ['search', (room) => ({ room, words: 'hi' })],
      ['room_context', (room) => ({ room })],
      ['preview_wrap', (room) => ({ room, model: 'guide' })],
      ['ask_model', (room) => ({ room, model: 'guide', text: 'hi' })],
      ['tools_list', (room) => ({ room })],
      ['tools_run', (room) => ({ room, tool: 'look', arguments: {} })],
      ['set_vibe', (room) => ({ room, text: 'calm' })],
      ['add_exit', (room) => ({ room: 'den', direction: 'up', to: room })],
      ['fork_room', (room) => ({ room: 'copy', from: room })],
    ]
    for (const [tool, args] of uses) {
      const [there, none] = [await agent.call(tool, args('attic')), await agent.call(tool, args('nowhere'))]
      expect([tool, there.isError, there.text]).toEqual([
        tool,
        true,
        none.text.replaceAll('nowhere', 'attic'),
      ])
      expect((await agent.call(tool, args('hall'))).isError).toBe(true)
    }
    for (const uri of ['room://hall', 'room://hall/log', 'room://attic/log'])
      await expect(agent.client.readResource({ uri })).rejects.toThrow()
    const { resources } = await agent.client.listResources()
    expect(JSON.stringify(resources)).not.toMatch(/hall|attic|lobby/)
    const made = await agent.call('create_room', { room: 'new' })
    expect(made).toMatchObject({ isError: true, text: expect.stringContaining('cannot make another') })
    expect((await agent.call('search', { words: 'hello' })).text).not.toContain('hello')
  },
)

test("a token works in the private room it is bound to, and other people's tokens cannot see it", async () => {
  await using mine = await openHttpAgent(base, await tokenOf('alice', '--rooms', 'den'))
  expect((await mine.call('say', { room: 'den', text: 'in here' })).isError).toBe(false)
  await using other = await openHttpAgent(base, await tokenOf('bob'))
  expect((await other.call('list_rooms')).text).not.toContain('den')
  const [there, none] = [
    await other.call('history', { room: 'den' }),
    await other.call('history', { room: 'nowhere' }),
  ]
  expect(there).toMatchObject({ isError: true, text: none.text.replaceAll('nowhere', 'den') })
})

test('a model that is asked with a room-bound token can read no room outside of the token', async () => {
  await using agent = await openHttpAgent(base, await tokenOf('alice', '--rooms', 'den'))
  const asked = (tool: string, args: object) =>
    agent.call('ask_model', { room: 'den', model: 'guide', text: `call ${tool} ${JSON.stringify(args)}` })
  const rooms = await asked('rooms', {})
  expect(rooms.text).not.toMatch(/hall|attic|lobby/)
  expect((await asked('history', { room: 'attic' })).text).toContain('no room called attic')
})

test('a session ID is rejected with any token other than its own', async () => {
  const [mine, other] = [await tokenOf('alice'), await tokenOf('alice', '--rooms', 'den')]
  const session = (await post(mine, INITIALIZE)).headers.get('mcp-session-id') ?? ''
  expect(session).toMatch(/^[\w-]{36}$/)
  const ping = { jsonrpc: '2.0', id: 2, method: 'ping' }
  const statuses = []
  for (const token of [mine, other, undefined])
    statuses.push((await post(token, ping, { 'mcp-session-id': session })).status)
  expect(statuses).toEqual([200, 404, 401])
  expect((await post(mine, ping, { 'mcp-session-id': 'made-up' })).status).toBe(404)
  expect((await post(mine, ping)).status).toBe(400)
  const stream = await fetch(`${base}/mcp`, {
    headers: { authorization: `Bearer ${other}`, accept: 'text/event-stream', 'mcp-session-id': session },
  })
  expect(stream.status).toBe(404)
})

test('DELETE ends an MCP session, and its agent leaves its rooms', async () => {
  await using agent = await openHttpAgent(base, await tokenOf('carol'))
  await agent.call('join', { room: 'hall' })
  expect((await stage.as('alice', ['who', 'hall'])).stdout).toContain('carol')
  await agent.transport.terminateSession()
  await expect.poll(async () => (await stage.as('alice', ['who', 'hall'])).stdout).not.toContain('carol')
})

test('a revoked token ends its MCP session and its stream', async () => {
  const { token, id } = await made('dave')
  await using agent = await openHttpAgent(base, token)
  await agent.call('join', { room: 'hall' })
  await stage.as('dave', ['token', 'revoke', String(id)])
  await expect(agent.call('say', { room: 'hall', text: 'still here?' })).rejects.toThrow()
  await expect.poll(async () => (await stage.as('alice', ['who', 'hall'])).stdout).not.toContain('dave')
  await stage.as('alice', ['say', 'hall', 'a secret'])
  expect(JSON.stringify(agent.heard)).not.toContain('a secret')
  expect((await stage.as('alice', ['history', 'hall'])).stdout).not.toContain('still here?')
})

test('an idle MCP session ends after mcp_idle_s, but one with an open stream does not', async () => {
  await using other = await createStageHere({ config: '[limits]\nmcp_idle_s = 1\n', http: true })
  const at = other.server.http
  const tokens = await Promise.all(
    ['ida', 'lisa'].map(async (name) => (await other.as(name, ['token', 'new'])).stdout.trim()),
  )
  await using watcher = await other.open('wanda', '-T')
  await watcher.waitFor('wanda joined')
  await using listening = await openHttpAgent(at, tokens[1]!)
  await listening.call('join', { room: 'lobby' })
  const opened = await postMcp(at, tokens[0], INITIALIZE)
  const id = { 'mcp-session-id': opened.headers.get('mcp-session-id')! }
  await opened.body?.cancel()
  const join = { name: 'join', arguments: { room: 'lobby' } }
  await (
    await postMcp(at, tokens[0], { jsonrpc: '2.0', id: 2, method: 'tools/call', params: join }, id)
  ).text()
  await watcher.waitFor('ida joined')
  await watcher.waitFor('ida left')
  expect((await postMcp(at, tokens[0], { jsonrpc: '2.0', id: 3, method: 'ping' }, id)).status).toBe(404)
  watcher.write('still there?\n')
  await listening.waitFor('still there?')
})

test('a ban ends the MCP session of the banned person', async () => {
  const token = await tokenOf('mallory')
  await using agent = await openHttpAgent(base, token)
  await stage.as('rhea', ['ban', 'mallory'])
  await expect(agent.call('list_rooms')).rejects.toThrow()
  expect((await post(token, INITIALIZE)).status).toBe(401)
})

test('a listening session survives nine sessions that its person opens without DELETE', async () => {
  const token = await tokenOf('nora')
  await using agent = await openHttpAgent(base, token)
  await agent.call('join', { room: 'hall' })
  await stage.as('alice', ['say', 'hall', 'before'])
  await agent.waitFor('before')
  for (let count = 0; count < 9; count++) await (await post(token, INITIALIZE)).text()
  await stage.as('alice', ['say', 'hall', 'after nine others'])
  await agent.waitFor('after nine others')
  expect((await agent.call('say', { room: 'hall', text: 'still here' })).isError).toBe(false)
})

test('the least recently used session ends when a person opens one too many', async () => {
  const token = await tokenOf('erin')
  const open = async () => (await post(token, INITIALIZE)).headers.get('mcp-session-id')!
  const ids = [await open(), await open(), await open(), await open()]
  const ping = async (session: string) =>
    (await post(token, { jsonrpc: '2.0', id: 2, method: 'ping' }, { 'mcp-session-id': session })).status
  const statuses = []
  for (const id of ids) statuses.push(await ping(id))
  expect(statuses).toEqual([404, 200, 200, 200])
})

describe('hostile bodies', () => {
  let token: string
  beforeAll(async () => {
    token = (await stage.as('bob', ['token', 'new'])).stdout.trim()
  })

  const post = (body: unknown, headers: Record<string, string> = {}) => postMcp(base, token, body, headers)

  describe('an invalid MCP body', () => {
    test.each([
      ['no JSON', '{"jsonrpc": ', 400],
      ['nothing', '', 400],
      ['a batch', [INITIALIZE, INITIALIZE], 400],
      ['a word', '"initialize"', 400],
      ['null', 'null', 400],
      ['no method', { jsonrpc: '2.0', id: 1 }, 400],
      ['a method that is an object', { jsonrpc: '2.0', id: 1, method: { a: 1 } }, 400],
      ['nested deeper than any message', '['.repeat(5_000) + ']'.repeat(5_000), 400],
      ['an object nested deeper', `${'{"a":'.repeat(2_000)}1${'}'.repeat(2_000)}`, 400],
      ['binary', '\u0000\u0001\ufffd', 400],
      ['more than a body may have', JSON.stringify({ ...INITIALIZE, x: 'x'.repeat(20_000) }), 413],
    ])(
      'a POST body with %s gets an error status, and the next request succeeds',
      async (_what, body, status) => {
        const response = await post(body)
        expect([response.status, (await response.text()).length]).toEqual([status, expect.any(Number)])
        expect((await post(INITIALIZE)).status).toBe(200)
      },
    )

    test('an endless request body is cut off at http_body_bytes', async () => {
      using raw = await rawHttp(base)
      raw.write(
        `POST /mcp HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${token}\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n`,
      )
      raw.write(`8000\r\n${'x'.repeat(0x8000)}\r\n`)
      expect((await raw.closed()).statuses).toEqual([413])
    })

    test('a client that disconnects within its request body causes no logged error', async () => {
      {
        using raw = await rawHttp(base)
        raw.write(
          `POST /mcp HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${token}\r\nContent-Length: 500\r\n\r\n{"json`,
        )
      }
      expect((await post(INITIALIZE)).status).toBe(200)
      expect(stage.server.stderr()).not.toContain('an HTTP request failed')
    })
  })
})

describe('listening for changes', () => {
  /** As many as an agent may follow, and one more. */
  const ROOMS = Array.from({ length: 33 }, (_, number) => `r${number}`)
  const GHOSTS = Array.from({ length: 20 }, (_, number) => `ghost${number}`)

  let speaker: AgentClient
  beforeAll(async () => {
    speaker = await openAgent(stage, 'alice')
    for (const room of ROOMS) await speaker.call('create_room', { room })
  })
  afterAll(async () => {
    await speaker[Symbol.asyncDispose]()
  })

  const logsOf = (rooms: readonly string[]) => ({
    resourceSubscriptions: rooms.map((room) => `room://${room}/log`),
  })

  /** Resolves once the agent has heard of something that is said now in each of these rooms. */
  async function hearsAll(agent: AgentClient, rooms: readonly string[]): Promise<void> {
    for (const room of rooms) await speaker.call('say', { room, text: 'news' })
    for (const room of rooms) await agent.waitFor(`"room://${room}/log"`)
  }

  describe.each([
    ['SSH', 8, (name: string) => openAgent(stage, name, { modern: true })],
    [
      'HTTP',
      16,
      async (name: string) =>
        openHttpAgent(stage.server.http, (await stage.as(name, ['token', 'new'])).stdout.trim(), {
          modern: true,
        }),
    ],
  ] as const)('a client that listens over %s', (by, maxStreams, open) => {
    test('a client is notified of all 32 rooms it may subscribe to, also after many invisible ones', async () => {
      await using agent = await open(`bob-${by.toLowerCase()}`)
      const visible = ROOMS.slice(1)
      await using _stream = await listening(agent, [...GHOSTS, 'den', ...visible])
      await hearsAll(agent, visible)
    })

    test('a client cannot subscribe to a 33rd room, and invisible rooms are answered like missing ones', async () => {
      await using agent = await open(`carol-${by.toLowerCase()}`)
      await expect(agent.client.listen(logsOf(ROOMS))).rejects.toThrow('32 rooms at most')
      {
        await using _all = await listening(agent, ROOMS.slice(1))
        await expect(agent.client.listen(logsOf(['r1', 'r0']))).rejects.toThrow('32 rooms at most')
        const answers = [await answerOf(agent, 'den'), await answerOf(agent, 'ghost0')]
        expect(answers[0]).toEqual(answers[1])
        // What was refused has taken nothing from the stream that is open.
        await hearsAll(agent, ['r1'])
      }
      await eventually(() => agent.client.listen(logsOf(['r0'])))
      await hearsAll(agent, ['r0'])
    })

    test(`a client cannot open more than ${maxStreams} streams until one of them ends`, async () => {
      await using agent = await open(`dave-${by.toLowerCase()}`)
      const streams = []
      for (let count = 0; count < maxStreams; count++) streams.push(await agent.client.listen(logsOf(['r0'])))
      await expect(agent.client.listen(logsOf(['r0']))).rejects.toThrow(
        `${maxStreams} streams of changes are open already; end one of them`,
      )
      await streams.pop()!.close()
      await eventually(() => agent.client.listen(logsOf(['r1'])))
      await hearsAll(agent, ['r1'])
    })
  })

  /** Over HTTP the server hears a moment later that a stream has ended. */
  const eventually = async (open: () => Promise<unknown>): Promise<void> =>
    await expect.poll(() => open().then(Boolean, () => false)).toBe(true)

  /** What is said to who listens for this room alone, without the number of the stream. */
  async function answerOf(agent: AgentClient, room: string): Promise<unknown> {
    const stream = await agent.client.listen(logsOf([room]))
    await stream.close()
    return JSON.parse(JSON.stringify(stream.honoredFilter).replaceAll(room, 'ROOM'))
  }

  async function listening({ client }: AgentClient, rooms: readonly string[]): Promise<AsyncDisposable> {
    const stream = await client.listen(logsOf(rooms))
    return { [Symbol.asyncDispose]: async () => await stream.close() }
  }
})
