import { describe, expect, test } from 'vitest'
import type { McpServerConfig } from '../../../../src/adapters/mcp/config.ts'
import type { ToolContext } from '../../../../src/tools/context.ts'
import { startHttpMcpServer } from '../../../support/mcp/http-server.ts'
import { byCommand, createRawServers, rawServer, type RawServers } from '../../../support/mcp/raw-servers.ts'

const byUrl = (url: string): McpServerConfig => ({
  name: 'far',
  trust: 'ask',
  reach: { url, headers: { Authorization: 'Bearer secret' } },
})

const call = (servers: RawServers, id: string) =>
  servers.tool(id)!.run({ a: 'b' }, { signal: new AbortController().signal } as ToolContext)

describe.each(['streamable', 'events', 'older'] as const)('a server by its address, %s', (kind) => {
  test('has tools that go over the network, and gets its token', async () => {
    await using server = await startHttpMcpServer(kind)
    await using servers = createRawServers([byUrl(server.url)])
    await servers.until(() => servers.state('far')?.kind === 'up')
    expect(servers.ids()).toEqual(['far_echo', 'far_huge'])
    expect(servers.tool('far_echo')).toMatchObject({
      access: 'network',
      description: 'echo, a tool of the MCP server far',
    })
    expect((await call(servers, 'far_echo')).content).toContain('{"a":"b"}')
    expect(server.seen).toContain('POST tools/call Bearer secret')
  })

  test('is gone when it does not answer any more', async () => {
    await using server = await startHttpMcpServer(kind)
    await using servers = createRawServers([byUrl(server.url)], {
      pingMs: 200,
      retryMs: 60_000,
      maxRetryMs: 60_000,
    })
    await servers.until(() => servers.state('far')?.kind === 'up')
    await server.die()
    await servers.until(() => servers.told.length > 0)
    expect(servers.told[0]).toMatch(/^left far: /)
    expect(servers.ids()).toEqual([])
  })
})

describe.each(['streamable', 'events', 'older'] as const)(
  'an answer of more than a message can be, %s',
  (kind) => {
    test('fails the call; the server is there for the next one, and so are the others', async () => {
      await using server = await startHttpMcpServer(kind)
      await using servers = createRawServers([byUrl(server.url), byCommand('raw', rawServer('usual'))])
      await servers.until(() => servers.state('far')?.kind === 'up' && servers.state('raw')?.kind === 'up')
      const { content, isError } = await call(servers, 'far_huge')
      expect({ content, isError }).toEqual({
        content: 'ERROR: far_huge: it sent a message of more than 4 MiB',
        isError: true,
      })
      expect((await call(servers, 'raw_echo')).content).toContain('{"a":"b"}')
      expect(servers.told).toEqual([])
      expect((await call(servers, 'far_echo')).content).toContain('{"a":"b"}')
    })
  },
)

test.each(['hangs', 'fails', 'breaks off'] as const)(
  'an older server that %s when it is asked what it does not know is asked in its way',
  async (unknown) => {
    await using server = await startHttpMcpServer('streamable', unknown)
    // Only what hangs is given up; on a busy machine the others take longer than one would wait for it.
    const discoverMs = unknown === 'hangs' ? 1000 : 20_000
    await using servers = createRawServers([byUrl(server.url)], { discoverMs, retryMs: 60_000 })
    await servers.until(() => servers.state('far')?.kind === 'up')
    expect((await call(servers, 'far_echo')).content).toContain('{"a":"b"}')
    expect(server.seen.slice(0, 2)).toEqual([
      'POST server/discover Bearer secret',
      'POST initialize Bearer secret',
    ])
  },
)
