import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import type { ToolProgress } from '../../../src/words/tool-progress.ts'
import type { ToolContext } from '../../../src/tools/context.ts'
import {
  byCommand,
  createRawServers,
  connectRawServers,
  newestServer,
  rawServer,
  type RawServers,
} from '../../support/mcp/raw-servers.ts'

const dir = await mkdtemp(join(tmpdir(), 'sshawl-newest-'))
afterAll(() => rm(dir, { recursive: true, force: true }))

const newest = (name: string, behaviour: string) =>
  byCommand(name, newestServer(behaviour, join(dir, behaviour)))

const call = (servers: RawServers, id: string, more: Partial<ToolContext> = {}, args: object = {}) =>
  servers.tool(id)!.run(args, { signal: new AbortController().signal, ...more } as ToolContext)

const USUAL = ['echo', 'meta', 'slow', 'hang', 'cancelled', 'streams', 'grow', 'starts'].map(
  (name) => `raw_${name}`,
)

test('a 2026-07-28 server gets the protocol version, client info and no capabilities in each call', async () => {
  await using servers = await connectRawServers([newest('raw', 'usual')])
  expect(servers.ids()).toEqual(USUAL)
  expect((await call(servers, 'raw_echo', {}, { a: 'b' })).content).toContain('{"a":"b"}')
  const { content } = await call(servers, 'raw_meta')
  expect(content).toContain('"io.modelcontextprotocol/protocolVersion":"2026-07-28"')
  expect(content).toContain('"io.modelcontextprotocol/clientCapabilities":{}')
  expect(content).toContain('"io.modelcontextprotocol/clientInfo":{"name":"sshawl"')
})

test('a 2026-07-28 server reports the progress of a call and is told if a call is stopped', async () => {
  await using servers = await connectRawServers([newest('raw', 'usual')])
  const told: ToolProgress[] = []
  await call(servers, 'raw_slow', { progress: (one) => void told.push(one) })
  expect(told).toEqual([{ share: 0.5, text: 'half way' }])
  const stop = new AbortController()
  const called = call(servers, 'raw_hang', { signal: stop.signal })
  await call(servers, 'raw_echo')
  stop.abort(new Error('stopped'))
  await expect(called).rejects.toThrow('stopped')
  expect((await call(servers, 'raw_cancelled')).content).toMatch(/cancelled: .*stopped/)
})

test('a 2026-07-28 server that answers slowly at first is connected once it answers', async () => {
  await using servers = createRawServers([newest('raw', 'tardy')], { discoverMs: 200, retryMs: 60_000 })
  await servers.until(() => servers.state('raw')?.kind === 'up')
  expect(servers.ids()).toEqual(USUAL)
  expect(servers.told).toEqual([])
})

test('a 2026-07-28 server that no longer answers is reported as gone', async () => {
  await using servers = createRawServers([newest('raw', 'deaf')], { pingMs: 200, retryMs: 60_000 })
  await servers.until(() => servers.told.length > 0)
  expect(servers.told).toEqual(['left raw: it does not answer any more'])
})

test('an MCP server that switches to another protocol revision is reconnected', async () => {
  await using servers = createRawServers([newest('raw', 'turncoat')], { pingMs: 200 })
  await servers.until(() => servers.told.length > 1)
  expect(servers.told[0]).toBe('left raw: it speaks another revision of the protocol now')
  expect(servers.told[1]).toMatch(/^back raw: raw_echo /)
})

test('invalid tools of a 2026-07-28 server are left out, and unknown content is replaced by a note', async () => {
  await using servers = await connectRawServers([newest('raw', 'odd')])
  expect(servers.ids()).toEqual(['raw_echo', 'raw_strange', 'raw_marked'])
  expect(servers.state('raw')).toMatchObject({ leftOut: [{ name: '' }, { name: '' }] })
  const { content } = await call(servers, 'raw_strange')
  expect(content).toBe('[something that this version cannot read]\nand a text')
})

const REFUSED =
  'it asked a question in the middle of the call; sshawl asks neither its people nor its models for a server: take all that you need as arguments of a tool'

test.each(['elicit', 'sample', 'roots', 'capable'])(
  'a call whose MCP server asks for input (%s) ends with an error',
  async (name) => {
    await using servers = await connectRawServers([newest('raw', 'asking')])
    const { content, isError } = await call(servers, `raw_${name}`)
    expect({ content, isError }).toEqual({ content: `ERROR: raw_${name}: ${REFUSED}`, isError: true })
    expect(servers.told).toEqual([])
  },
)

test('a call with unknown or endless input requests fails, and a requested repetition gets its state', async () => {
  await using servers = await connectRawServers([newest('raw', 'asking')])
  expect(await call(servers, 'raw_unknown')).toMatchObject({ isError: true })
  expect(await call(servers, 'raw_nothing')).toMatchObject({ isError: true })
  expect((await call(servers, 'raw_again')).content).toContain('came back with st\u00e4te')
  expect((await call(servers, 'raw_forever')).content).toContain('still required input after')
})

test('changes of the tool list arrive on an open subscription stream', async () => {
  await using servers = await connectRawServers([newest('raw', 'usual')])
  await call(servers, 'raw_grow')
  await servers.until(() => servers.ids().length > USUAL.length)
  expect(servers.ids().at(-1)).toBe('raw_more_8')
  expect((await call(servers, 'raw_streams')).content).toContain('streams: 1, open: 1')
})

test('the subscription stream is reopened if the server ends it, and not opened if unsupported', async () => {
  await using servers = createRawServers([newest('raw', 'fickle'), newest('mute', 'unheard')])
  await servers.until(() => servers.ids().length === 16)
  const streams = async (): Promise<string> => (await call(servers, 'raw_streams')).content
  while (!(await streams()).includes('streams: 4, open: 1'));
  await call(servers, 'raw_grow')
  await servers.until(() => servers.ids().includes('raw_more_8'))
  expect((await call(servers, 'mute_echo')).isError).toBe(false)
  expect((await call(servers, 'mute_streams')).content).toContain('streams: 0')
})

test('an older MCP server that exits on server/discover is restarted and asked with initialize', async () => {
  await using servers = await connectRawServers([newest('raw', 'brittle')], { retryMs: 60_000 })
  expect(servers.ids()).toEqual(['raw_older', 'raw_starts'])
  expect((await call(servers, 'raw_starts')).content).toContain('starts: 2')
  expect(servers.told).toEqual([])
})

test('an older MCP server that hangs after server/discover is asked with initialize', async () => {
  await using servers = await connectRawServers([newest('raw', 'wedged')], {
    discoverMs: 200,
    retryMs: 60_000,
  })
  expect(servers.ids()).toEqual(['raw_older', 'raw_starts'])
  expect(servers.told).toEqual([])
})

test('MCP servers that have not answered yet are closed without a notice', async () => {
  const servers = createRawServers([newest('raw', 'tardy'), byCommand('mute', rawServer('mute'))])
  await servers[Symbol.asyncDispose]()
  expect(servers.told).toEqual([])
  expect(servers.state('mute')).toBeUndefined()
})

test('an older MCP server that rejects server/discover is started only once', async () => {
  const file = join(dir, 'pid')
  const once = ['/bin/sh', '-c', `printf . >>"${file}"; exec "$@"`, 'sh', ...rawServer('usual')]
  await using _ = await connectRawServers([byCommand('raw', once)])
  expect(await readFile(file, 'utf8')).toBe('.')
})
