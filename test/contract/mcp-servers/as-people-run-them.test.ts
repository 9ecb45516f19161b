import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { afterAll, describe, expect, test } from 'vitest'
import type { ToolContext } from '../../../src/tools/context.ts'
import { byCommand, createRawServers, type RawServers } from '../../support/mcp/raw-servers.ts'

const SCRIPT = new URL('../../support/mcp/odd-server.mjs', import.meta.url).pathname
const WAYS = ['stdio', 'http', 'events'] as const

/** A server with an oddity, over a pipe or over HTTP, once it was tried. */
async function openOdd(oddity: string, way: string): Promise<RawServers> {
  const server =
    way === 'stdio'
      ? byCommand('odd', [process.execPath, SCRIPT, way, oddity])
      : { name: 'odd', trust: 'annotations' as const, reach: { url: `${await addressOf(way)}${oddity}` } }
  const servers = createRawServers([server], { retryMs: 60_000, maxRetryMs: 60_000 })
  await servers.until(() => servers.state('odd')?.kind !== 'connecting')
  return servers
}

const children = new Set<ChildProcess>()
afterAll(() => children.forEach((child) => child.kill()))

/**
 * One process serves all oddities over HTTP in one way; of those that forget their sessions each has its own.
 */
const addresses = new Map<string, Promise<string>>()

async function addressOf(way: string): Promise<string> {
  const address = (way === 'forgets' ? undefined : addresses.get(way)) ?? startServer(way)
  addresses.set(way, address)
  return await address
}

async function startServer(way: string): Promise<string> {
  const child = spawn(process.execPath, [SCRIPT, way], { stdio: ['pipe', 'pipe', 'inherit'] })
  children.add(child)
  const [url] = (await once(createInterface({ input: child.stdout }), 'line')) as [string]
  return url
}

/** What a call gives. */
async function call(servers: RawServers): Promise<string> {
  const context = { signal: new AbortController().signal } as ToolContext
  const { content } = await servers.tool('odd_echo')!.run({}, context)
  return content
}

/** The oddities of a server that works as if it had none. */
const HARMLESS = [
  ...['usual', 'null-instructions', 'null-title', 'null-capability', 'null-cursor', 'null-description'],
  ...['null-title-of-tool', 'null-schema', 'null-in-schema', 'null-annotations', 'null-hint', 'null-default'],
  ...['null-error', 'null-structured', 'null-in-block', 'null-block', 'no-version', 'no-server-info'],
  ...['number-as-version', 'no-capabilities', 'empty-capabilities', 'tools-true', 'no-protocol-version'],
  ...['content-as-text', 'content-as-block', 'content-of-texts', 'block-without-type', 'result-as-text'],
  ...[
    'result-as-list',
    'tools-by-name',
    'schema-as-text',
    'id-as-text',
    'no-jsonrpc',
    'jsonrpc-1',
    'more-fields',
    'bom',
    'batch',
  ],
  ...['same-cursor', 'empty-cursor', 'number-as-cursor'],
]

/** What a call says of other oddities. */
const SAYINGS: readonly (readonly [string, string | RegExp])[] = [
  ['null-content', '{\n "a": null\n}'],
  ['null-result', ''],
  ['null-result-beside-error', /^ERROR: odd_echo: .*no$/],
  ['error-as-text', /^ERROR: odd_echo: .*it is broken$/],
  ['error-code-null', /^ERROR: odd_echo: .*it is broken$/],
  ['error-code-text', /^ERROR: odd_echo: .*it is broken$/],
  ['error-message-object', /^ERROR: odd_echo: .*it is broken/],
  ['error-without-message', /^ERROR: odd_echo: .*"code":7/],
  ['text-as-object', '{"a":"done"}'],
  ['is-error-as-text', /^ERROR: odd_echo: the server refused the call/],
  ['image-without-type', '[image: no type, 3 B]'],
  ['large-image', '[image: image/png, 6 MiB]\na picture'],
  ['two-large-images', '[image: image/png, 9 MiB]\n[image: image/png, 3 MiB]'],
  ['large-text', 'ERROR: odd_echo: it sent a message of more than 4 MiB'],
  ['call-is-nan', /^ERROR: odd_echo: its answer to tools\/call could not be read: /],
]

/** What cannot be read, and of which answer that is said. */
const UNREADABLE = [
  ['no-list', 'tools/list'],
  ['list-is-text', 'tools/list'],
  ['list-is-nan', 'tools/list'],
  ['list-is-cut', 'tools/list'],
  ['hello-is-nan', 'initialize'],
] as const

describe.each(WAYS)('over %s', (way) => {
  test.each(HARMLESS)('an MCP server with %s is up, and a call of its tool succeeds', async (oddity) => {
    await using servers = await openOdd(oddity, way)
    expect(servers.state('odd')).toEqual({ kind: 'up', leftOut: [] })
    expect(servers.ids()).toEqual(['odd_echo'])
    expect(await call(servers)).toBe('done')
  })

  test.each(SAYINGS)(
    'a call of an MCP server with %s gives %s, and the server stays up',
    async (oddity, said) => {
      await using servers = await openOdd(oddity, way)
      expect(await call(servers)).toEqual(typeof said === 'string' ? said : expect.stringMatching(said))
      expect(servers.state('odd')).toEqual({ kind: 'up', leftOut: [] })
      expect(servers.told).toEqual([])
    },
  )

  test.each(UNREADABLE)(
    'an MCP server with %s goes down because its answer to %s is unreadable',
    async (oddity, method) => {
      await using servers = await openOdd(oddity, way)
      const why = expect.stringContaining(`its answer to ${method} could not be read: `)
      expect(servers.state('odd')).toEqual({ kind: 'down', why })
    },
  )

  test('an MCP server without tools is up', async () => {
    await using servers = await openOdd('no-tools', way)
    expect(servers.state('odd')).toEqual({ kind: 'up', leftOut: [] })
  })
})

test('a null default and a null enum value stay in a tool schema', async () => {
  await using servers = await openOdd('null-default', 'stdio')
  expect(servers.tool('odd_echo')!.schema).toEqual({
    type: 'object',
    properties: { a: { default: null, enum: [null, 1] } },
  })
})

test('an MCP tool with one null hint keeps its other hints', async () => {
  await using servers = await openOdd('null-hint', 'http')
  expect(servers.tool('odd_echo')!.access).toBe('read')
})

test('a JSON answer with the content type of plain text is read', async () => {
  await using servers = await openOdd('usual', 'text')
  expect(await call(servers)).toBe('done')
})

test.each([
  ['404', 'usual'],
  ['400', 'bom'],
])('a call is repeated in a new session if the MCP server lost its session (%s)', async (_status, oddity) => {
  await using servers = await openOdd(oddity, 'forgets')
  for (let round = 0; round < 6; round++) expect(await call(servers)).toBe('done')
  expect(servers.told).toEqual([])
})

test('the event stream of an MCP server is opened again in a new session', async () => {
  await using servers = await openOdd('counts-streams', 'forgets')
  await expect.poll(() => call(servers)).toMatch(/streams: [2-9]/)
  expect(servers.told).toEqual([])
})
