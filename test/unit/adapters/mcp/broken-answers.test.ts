import { describe, expect, test } from 'vitest'
import type { ToolContext } from '../../../../src/tools/context.ts'
import { startHttpMcpServer } from '../../../support/mcp/http-server.ts'
import { startNewestHttpServer } from '../../../support/mcp/newest-http-server.ts'
import { createRawServers, type RawServers } from '../../../support/mcp/raw-servers.ts'

const call = (servers: RawServers, args: object) =>
  servers.tool('far_echo')!.run(args, { signal: new AbortController().signal } as ToolContext)

const BROKE_OFF = 'ERROR: far_echo: its answer broke off before it was whole'

describe.each([
  ['2025-11-25', () => startHttpMcpServer('events')],
  ['2026-07-28', startNewestHttpServer],
] as const)('a call whose stream of events ends without an answer, in revision %s', (_revision, start) => {
  test.each(['end', 'destroy', 'begun'] as const)('fails at once (%s), and the server stays', async (how) => {
    await using server = await start()
    await using servers = createRawServers([{ name: 'far', trust: 'ask', reach: { url: server.url } }])
    await servers.until(() => servers.state('far')?.kind === 'up')
    expect((await call(servers, { how })).content).toBe(BROKE_OFF)
    expect((await call(servers, { a: 'b' })).content).toContain('{"a":"b"}')
    expect(servers.told).toEqual([])
  })

  test('fails at once where the server died, which is noticed then', async () => {
    await using server = await start()
    await using servers = createRawServers([{ name: 'far', trust: 'ask', reach: { url: server.url } }])
    await servers.until(() => servers.state('far')?.kind === 'up')
    // Its list may be read just then, and find that out first.
    const gone = /its answer broke off before it was whole|it does not answer any more|fetch failed: .*/
    expect((await call(servers, { how: 'die' })).content).toMatch(
      new RegExp(`^ERROR: far_echo: (?:${gone.source})$`),
    )
    await servers.until(() => servers.told.length > 0)
    expect(servers.told[0]).toMatch(new RegExp(`^left far: (?:${gone.source})$`))
  })
})
