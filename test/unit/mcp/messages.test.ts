import { expect, test } from 'vitest'
import { base64Length, BoundedMessage, MessageReader } from '../../../src/mcp/client/message-reader.ts'
import { hasWrongMarks } from '../../../src/mcp/client/tool-list.ts'
import type { JsonObject } from '../../../src/base/json.ts'
import { addressParts, redact, secretValues } from '../../../src/mcp/redact.ts'
import type { ToolContext } from '../../../src/tools/context.ts'
import { startHttpMcpServer } from '../../support/mcp/http-server.ts'
import { byCommand, createRawServers, connectRawServers, rawServer } from '../../support/mcp/raw-servers.ts'

/** Reads a text while pings with these ids wait. With `isReply` it answers the first of them. */
function readMessages(text: string, waiting: readonly number[], isReply = false) {
  const reader = new MessageReader()
  for (const id of waiting) reader.sent({ jsonrpc: '2.0', id, method: 'ping' })
  return reader.read({ text, isCut: false }, isReply ? waiting[0] : undefined, isReply)
}

const PARSE_ERROR = '{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"Parse error"}}'

test('an error without an id answers the pending request if there is only one', () => {
  const error = { code: -32_700, message: 'Parse error' }
  expect(readMessages(PARSE_ERROR, [7])).toEqual([{ jsonrpc: '2.0', id: 7, error }])
  expect(readMessages(PARSE_ERROR, [7, 8])).toEqual([])
})

test.each(['Server running', '', '{"level":30,"id":7,"msg":"up"}', '{"level":', 'null', '7', '[]'])(
  'the line %s is not read as a message',
  (line) => {
    expect(readMessages(line, [7])).toEqual([])
  },
)

test.each(['', '<html></html>', 'null', '[]'])(
  'the unreadable reply %s fails the request that it answers',
  (reply) => {
    const message = expect.stringMatching(/^its answer to ping could not be read: /)
    expect(readMessages(reply, [7], true)).toEqual([
      { jsonrpc: '2.0', id: 7, error: { code: -32_000, message } },
    ])
  },
)

test('a reply with a wrong id answers the request that it was sent for', () => {
  expect(readMessages('{"jsonrpc":"2.0","id":1,"result":{}}', [7], true)).toEqual([
    { jsonrpc: '2.0', id: 7, result: {} },
  ])
})

test('a notification with null for its id and params is read', () => {
  const line = '{"jsonrpc":"2.0","id":null,"method":"notifications/tools/list_changed","params":null}'
  expect(readMessages(line, [])).toEqual([{ jsonrpc: '2.0', method: 'notifications/tools/list_changed' }])
})

test('a message nested 200,000 levels deep is read without a stack overflow', () => {
  const deep = `${'{"a":'.repeat(200_000)}null${'}'.repeat(200_000)}`
  expect(readMessages(`{"jsonrpc":"2.0","id":7,"result":${deep}}`, [7])).toHaveLength(1)
})

test.each([
  ['one piece', 12],
  ['pieces of 64 KiB', 1 / 16],
])('an image of 12 MiB that arrives in %s is replaced by its length', (_, mebibytes) => {
  const image = `{"type": "image", "data" : "${'iV/+'.repeat(3 * 1024 * 1024)}", "mimeType": "image/png"}`
  const message = new BoundedMessage()
  for (let at = 0; at < image.length; at += mebibytes * 1024 * 1024)
    message.add(Buffer.from(image.slice(at, at + mebibytes * 1024 * 1024)))
  const { text, isCut } = message.take()
  const { data, ...rest } = JSON.parse(text) as Record<string, string>
  expect([isCut, base64Length(data!), rest]).toEqual([
    false,
    12 * 1024 * 1024,
    { type: 'image', mimeType: 'image/png' },
  ])
})

test('a long text in the place of an image is kept, and counts in the size of its message', () => {
  const short = `{"data":"${'some words '.repeat(1_000)}","blob":"${'iVBO'.repeat(2 * 1024 * 1024)}"}`
  const message = new BoundedMessage()
  message.add(Buffer.from(short))
  expect(message.take()).toEqual({ text: short.replace(/(?:iVBO)+/, '#8388608#'), isCut: false })
  message.add(Buffer.from(`{"data":"${'some words '.repeat(400_000)}"}`))
  expect(message.take().isCut).toBe(true)
})

test('a cancelled request is no longer pending', () => {
  const reader = new MessageReader()
  for (const id of [7, 8]) reader.sent({ jsonrpc: '2.0', id, method: 'ping' })
  reader.sent({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 7 } })
  expect(reader.read({ text: PARSE_ERROR, isCut: false })).toMatchObject([{ id: 8 }])
})

const marked = (name: string | number, type: string | string[] = 'string'): JsonObject => ({
  type,
  'x-mcp-header': name,
})
const withProperties = (properties: JsonObject): JsonObject => ({ type: 'object', properties })

test('x-mcp-header marks are valid in nested objects, and an argument may have that name', () => {
  const schema = withProperties({
    a: marked('A'),
    'x-mcp-header': { type: 'string' },
    b: withProperties({ c: marked('C-d', 'boolean') }),
    d: { type: 'object', default: { 'x-mcp-header': 1 } },
  })
  expect(hasWrongMarks(schema)).toBe(false)
})

test.each([
  withProperties({ a: marked('') }),
  withProperties({ a: marked('A: x\r\nB') }),
  withProperties({ a: marked(7) }),
  withProperties({ a: marked('A', 'number') }),
  withProperties({ a: marked('A', ['string']) }),
  withProperties({ a: marked('A'), b: marked('a') }),
  withProperties({ a: { type: 'array', items: marked('A') } }),
  { ...withProperties({}), anyOf: [withProperties({ a: marked('A') })] },
  { ...withProperties({}), ...marked('A', 'object') },
])('the x-mcp-header marks of the schema %j are invalid', (schema) => {
  expect(hasWrongMarks(schema)).toBe(true)
})

test.each([
  ['DB_PASSWORD_PROD', 'swordfish', true],
  ['apiKeyOne', 'swordfish', true],
  ['PGPASSWORD', 'swordfish', true],
  ['GMAIL_AUTH', 'abcd efgh ijkl mnop', true],
  ['DATABASE', 'postgres://me:swordfish@db/x', true],
  ['UPSTREAM', 'sk-1234abcd5678efgh9012', true],
  ['PLACE', 'a public place', false],
])('the value in %s=%s counts as a secret: %s', (name, value, isOne) => {
  const secrets = isOne ? [value] : []
  expect(secretValues({ command: ['x'], env: { [name]: value } })).toEqual(secrets)
  expect(secretValues({ command: ['x', `--${name}=${value}`], env: {} })).toEqual(secrets)
})

test('the path, query, headers and token flags of an MCP server count as secrets', () => {
  const headers = { 'x-key': 'Bearer s3cret-token' }
  const url = 'https://far.example.org/mcp/k1e2y3-4in5-the-path?key=a%2Bb%2Bc'
  const values = ['Bearer s3cret-token', 's3cret-token', 'a%2Bb%2Bc', 'a+b+c', 'k1e2y3-4in5-the-path']
  expect(secretValues({ url, headers })).toEqual(expect.arrayContaining(values))
  expect(addressParts({ url, headers })).toContain('/mcp/k1e2y3-4in5-the-path')
  expect(secretValues({ command: ['x', '--token', 'hunter2', 'y'], env: {} })).toEqual(['hunter2'])
})

test('longer secrets are redacted first, and secrets under four characters are not redacted', () => {
  const text = 'abcdefgh-ijkl, abcdefgh, (a+b)*[c].$, abc, abcdefgh'
  expect(redact(text, ['abcdefgh', 'abcdefgh-ijkl', '(a+b)*[c].$', 'abc', ''])).toBe(
    '***, ***, ***, abc, ***',
  )
})

test('the error of a call shows no secret that the MCP server repeats', async () => {
  const env = { PATH: process.env['PATH'] ?? '', API_KEY: 'env-secret.123456' }
  const reach = { command: rawServer('leaks'), env }
  await using servers = await connectRawServers([byCommand('raw', [], { reach })])
  const context = { signal: new AbortController().signal } as ToolContext
  expect((await servers.tool('raw_deny')!.run({}, context)).content).toMatch(
    /^ERROR: raw_deny: .*bad \*\*\*$/,
  )
})

test('tools, results and progress show no secret that the MCP server repeats', async () => {
  const env = { PATH: process.env['PATH'] ?? '', API_KEY: 'env-secret.123456' }
  const reach = { command: rawServer('leaks'), env }
  await using servers = await connectRawServers([byCommand('raw', [], { reach })])
  const told: unknown[] = []
  const context = { signal: new AbortController().signal, progress: (one: unknown) => told.push(one) }
  const { content } = await servers.tool('raw_tell')!.run({}, context as unknown as ToolContext)
  const { title, description } = servers.tool('raw_tell')!
  expect([title, description]).toEqual(['T ***', 'Asks with ***.'])
  expect(content).toContain('I have ***')
  expect(JSON.stringify(told)).toContain('as ***')
})

test('the state of an unreachable MCP server shows no secret of its address', async () => {
  const server = await startHttpMcpServer('events')
  await server[Symbol.asyncDispose]()
  const url = `${server.url}?api_key=key-in-address`
  await using servers = createRawServers([{ name: 'far', trust: 'ask', reach: { url } }])
  await servers.until(() => servers.state('far')?.kind === 'down')
  expect(JSON.stringify(servers.state('far'))).not.toContain('key-in-address')
})
