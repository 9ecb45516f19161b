import { describe, expect, test } from 'vitest'
import type { ToolContext } from '../../../../src/tools/context.ts'
import { startNewestHttpServer } from '../../../support/mcp/newest-http-server.ts'
import { createRawServers, type RawServers } from '../../../support/mcp/raw-servers.ts'

const far = (url: string) => ({ name: 'far', trust: 'ask' as const, reach: { url } })

const call = (servers: RawServers, id: string, args: object, signal = new AbortController().signal) =>
  servers.tool(id)!.run(args, { signal } as ToolContext)

describe('a server by its address that speaks the revision of 2026-07-28 alone', () => {
  test('has its tools but for one whose header is none, and gets in headers what they want there', async () => {
    await using server = await startNewestHttpServer()
    await using servers = createRawServers([far(server.url)])
    await servers.until(() => servers.state('far')?.kind === 'up')
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

  test('is refused a kind of result that nobody knows, in the words of the protocol', async () => {
    await using server = await startNewestHttpServer()
    await using servers = createRawServers([far(server.url)])
    await servers.until(() => servers.ids().length > 0)
    expect((await call(servers, 'far_echo', { resultType: 'task' })).content).toBe(
      "ERROR: far_echo: Unsupported result type 'task' for tools/call",
    )
  })

  test('learns that a call was stopped by the end of its stream', async () => {
    await using server = await startNewestHttpServer()
    await using servers = createRawServers([far(server.url)])
    await servers.until(() => servers.ids().length > 0)
    const stop = new AbortController()
    const called = call(servers, 'far_hang', {}, stop.signal)
    while (!server.seen.some(({ headers }) => headers['mcp-name'] === 'hang'))
      await call(servers, 'far_echo', {})
    stop.abort(new Error('stopped'))
    await expect(called).rejects.toThrow('stopped')
    await server.left
  })

  test('is heard when it changes, also after its stream broke off', async () => {
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
