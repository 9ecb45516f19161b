import { describe, expect, test } from 'vitest'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { McpByUrl, McpServerConfig } from '../../../src/mcp/config.ts'
import type { ToolContext } from '../../../src/tools/context.ts'
import { startHttpMcpServer } from '../../support/mcp/http-server.ts'
import {
  type RawServers,
  byCommand,
  createRawServers,
  connectRawServers,
  rawServer,
} from '../../support/mcp/raw-servers.ts'
import { startNewestHttpServer } from '../../support/mcp/newest-http-server.ts'

const byUrl = (url: string): McpServerConfig => ({
  name: 'far',
  trust: 'ask',
  reach: { url, headers: { Authorization: 'Bearer secret' } },
})

const call = (servers: RawServers, id: string) =>
  servers.tool(id)!.run({ a: 'b' }, { signal: new AbortController().signal } as ToolContext)

describe.each(['streamable', 'events', 'older'] as const)('an MCP server with a URL, %s', (kind) => {
  test('an MCP server with a URL offers tools with network access and receives the configured header', async () => {
    await using server = await startHttpMcpServer(kind)
    await using servers = await connectRawServers([byUrl(server.url)])
    expect(servers.ids()).toEqual(['far_echo', 'far_huge'])
    expect(servers.tool('far_echo')).toMatchObject({
      access: 'network',
      description: 'echo, a tool of the MCP server far',
    })
    expect((await call(servers, 'far_echo')).content).toContain('{"a":"b"}')
    expect(server.seen).toContain('POST tools/call Bearer secret')
  })

  test('an MCP server with a URL loses its tools when it no longer answers', async () => {
    await using server = await startHttpMcpServer(kind)
    await using servers = await connectRawServers([byUrl(server.url)], {
      pingMs: 200,
      retryMs: 60_000,
      maxRetryMs: 60_000,
    })
    await server.die()
    await servers.until(() => servers.told.length > 0)
    expect(servers.told[0]).toMatch(/^left far: /)
    expect(servers.ids()).toEqual([])
  })
})

describe.each(['streamable', 'events', 'older'] as const)('an answer over the size limit, %s', (kind) => {
  test('an answer over 4 MiB fails only its call, and later calls to MCP servers succeed', async () => {
    await using server = await startHttpMcpServer(kind)
    await using servers = await connectRawServers([byUrl(server.url), byCommand('raw', rawServer('usual'))])
    const { content, isError } = await call(servers, 'far_huge')
    expect({ content, isError }).toEqual({
      content: 'ERROR: far_huge: it sent a message of more than 4 MiB',
      isError: true,
    })
    expect((await call(servers, 'raw_echo')).content).toContain('{"a":"b"}')
    expect(servers.told).toEqual([])
    expect((await call(servers, 'far_echo')).content).toContain('{"a":"b"}')
  })
})

test.each(['hangs', 'fails', 'breaks off'] as const)(
  'an older MCP server that %s on server/discover gets initialize instead',
  async (unknown) => {
    await using server = await startHttpMcpServer('streamable', unknown)
    // Only what hangs is given up; on a busy machine the others take longer than one would wait for it.
    const discoverMs = unknown === 'hangs' ? 1000 : 20_000
    await using servers = await connectRawServers([byUrl(server.url)], { discoverMs, retryMs: 60_000 })
    expect((await call(servers, 'far_echo')).content).toContain('{"a":"b"}')
    expect(server.seen.slice(0, 2)).toEqual([
      'POST server/discover Bearer secret',
      'POST initialize Bearer secret',
    ])
  },
)

describe('an MCP server with a URL, in the newest revision', () => {
  const far = (url: string) => ({ name: 'far', trust: 'ask' as const, reach: { url } })

  const call = (servers: RawServers, id: string, args: object, signal = new AbortController().signal) =>
    servers.tool(id)!.run(args, { signal } as ToolContext)

  test('a 2026-07-28 server gets marked arguments as headers, and a tool with a wrong mark is left out', async () => {
    await using server = await startNewestHttpServer()
    await using servers = await connectRawServers([far(server.url)])
    expect(servers.ids()).toEqual(['far_echo', 'far_hang'])
    expect(servers.state('far')).toEqual({
      kind: 'up',
      leftOut: [{ name: 'wrong', why: 'its schema has a wrong x-mcp-header' }],
    })
    const args = { region: 'zürich', deep: { count: 7 }, plain: 'a' }
    expect((await call(servers, 'far_echo', args)).content).toContain('"plain":"a"')
    const called = server.seen.find(({ method }) => method === 'tools/call')
    expect(called).toMatchObject({
      headers: {
        'mcp-protocol-version': '2026-07-28',
        'mcp-method': 'tools/call',
        'mcp-name': 'echo',
        'mcp-param-region': '=?base64?esO8cmljaA==?=',
        'mcp-param-count': '7',
      },
    })
    expect(server.seen.map(({ method }) => method)).not.toContain('initialize')
    expect(Object.keys(called?.headers ?? {})).not.toContain('mcp-param-plain')
  })

  test('a call result of an unknown type is an error that names the type', async () => {
    await using server = await startNewestHttpServer()
    await using servers = await connectRawServers([far(server.url)])
    expect((await call(servers, 'far_echo', { resultType: 'task' })).content).toBe(
      "ERROR: far_echo: Unsupported result type 'task' for tools/call",
    )
  })

  test('an aborted call closes its stream to the MCP server', async () => {
    await using server = await startNewestHttpServer()
    await using servers = await connectRawServers([far(server.url)])
    const stop = new AbortController()
    const called = call(servers, 'far_hang', {}, stop.signal)
    while (!server.seen.some(({ headers }) => headers['mcp-name'] === 'hang'))
      await call(servers, 'far_echo', {})
    stop.abort(new Error('stopped'))
    await expect(called).rejects.toThrow('stopped')
    await server.left
  })

  test('changes of the tool list arrive, even after the event stream broke off', async () => {
    await using server = await startNewestHttpServer()
    await using servers = createRawServers([far(server.url)])
    const listens = () => server.seen.filter(({ method }) => method === 'subscriptions/listen').length
    await servers.until(() => servers.state('far')?.kind === 'up')
    for (const times of [1, 2]) {
      while (listens() < times) await call(servers, 'far_echo', {})
      server.grow()
      await servers.until(() => servers.ids().includes(`far_more_${times + 2}`))
      server.breakOff()
    }
    expect(servers.told).toEqual([])
  })
})

describe('an answer that breaks off', () => {
  const call = (servers: RawServers, args: object) =>
    servers.tool('far_echo')!.run(args, { signal: new AbortController().signal } as ToolContext)

  const BROKE_OFF = 'ERROR: far_echo: its answer broke off before it was whole'

  describe.each([
    ['2025-11-25', () => startHttpMcpServer('events')],
    ['2026-07-28', startNewestHttpServer],
  ] as const)('a call whose stream of events ends without an answer, in revision %s', (_revision, start) => {
    test.each(['end', 'destroy', 'begun'] as const)(
      'a call fails at once if its stream ends without an answer (%s), and the server stays connected',
      async (how) => {
        await using server = await start()
        await using servers = await connectRawServers([
          { name: 'far', trust: 'ask', reach: { url: server.url } },
        ])
        expect((await call(servers, { how })).content).toBe(BROKE_OFF)
        expect((await call(servers, { a: 'b' })).content).toContain('{"a":"b"}')
        expect(servers.told).toEqual([])
      },
    )

    test('a call fails if its MCP server dies, and the server is reported as gone', async () => {
      await using server = await start()
      await using servers = await connectRawServers([
        { name: 'far', trust: 'ask', reach: { url: server.url } },
      ])
      // Its list may be read just then, and find that out first.
      const gone = /its answer broke off before it was whole|it does not answer any more|fetch failed: .*/
      expect((await call(servers, { how: 'die' })).content).toMatch(
        new RegExp(`^ERROR: far_echo: (?:${gone.source})$`),
      )
      await servers.until(() => servers.told.length > 0)
      expect(servers.told[0]).toMatch(new RegExp(`^left far: (?:${gone.source})$`))
    })
  })
})

/** Why a server is down that answers everything so. */
async function whyDown(
  status: number,
  text: string,
  more: Partial<McpByUrl> = {},
  headers: Readonly<Record<string, string>> = {},
): Promise<string> {
  const server = createServer((_request, response) => void response.writeHead(status, headers).end(text))
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`
  await using servers = createRawServers([{ name: 'far', trust: 'ask', reach: { url, ...more } }])
  await servers.until(() => servers.state('far')?.kind === 'down')
  const state = servers.state('far')
  server.closeAllConnections()
  await once(server.close(), 'close')
  return state?.kind === 'down' ? state.why : ''
}

const headers = { Authorization: 'Bearer s3cret-token' }

test.each([
  [
    401,
    '',
    {},
    'it requires authentication (401): /mcp login far, or give it a token by token_env or header_env',
  ],
  [
    401,
    'no s3cret-token',
    { headers },
    'it rejects the token or header of the config (401): look at token_env and header_env: no ***',
  ],
  [
    403,
    '',
    {},
    'it denies this to the current login (403): /mcp login far, or give it another token by token_env or header_env',
  ],
  [
    403,
    'members\u001b[2J only',
    { headers },
    /^it denies this to the current login \(403\): .* header_env: members.{0,6} only$/,
  ],
  [500, '', {}, 'it answered with the status 500'],
  [503, 'too many users', {}, /too many users$/],
  [429, 'x'.repeat(5_000), {}, /x{100}/],
])(
  'an MCP server that answers status %i and %j is down with a matching explanation',
  async (status, text, more, why) => {
    const said = await whyDown(status, text, more)
    expect(said).toEqual(typeof why === 'string' ? why : expect.stringMatching(why))
    expect(said.length).toBeLessThan(500)
  },
)
