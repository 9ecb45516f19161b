import { describe, expect, test } from 'vitest'
import { addressParts, redact, secretValues } from '../../../../src/adapters/mcp/redact.ts'
import type { ToolContext } from '../../../../src/tools/context.ts'
import { startHttpMcpServer } from '../../../support/mcp/http-server.ts'
import { byCommand, createRawServers, rawServer } from '../../../support/mcp/raw-servers.ts'

test.each([
  ['DB_PASSWORD_PROD', 'swordfish', true],
  ['apiKeyOne', 'swordfish', true],
  ['PGPASSWORD', 'swordfish', true],
  ['GMAIL_AUTH', 'abcd efgh ijkl mnop', true],
  ['DATABASE', 'postgres://me:swordfish@db/x', true],
  ['UPSTREAM', 'sk-1234abcd5678efgh9012', true],
  ['PLACE', 'a public place', false],
])('the value of %s=%s counts as a secret: %s', (name, value, isOne) => {
  const secrets = isOne ? [value] : []
  expect(secretValues({ command: ['x'], env: { [name]: value } })).toEqual(secrets)
  expect(secretValues({ command: ['x', `--${name}=${value}`], env: {} })).toEqual(secrets)
})

test('the values of an address, its headers and its flags are secrets', () => {
  const headers = { 'x-key': 'Bearer s3cret-token' }
  const url = 'https://far.example.org/mcp/k1e2y3-4in5-the-path?key=a%2Bb%2Bc'
  const values = ['Bearer s3cret-token', 's3cret-token', 'a%2Bb%2Bc', 'a+b+c', 'k1e2y3-4in5-the-path']
  expect(secretValues({ url, headers })).toEqual(expect.arrayContaining(values))
  expect(addressParts({ url, headers })).toContain('/mcp/k1e2y3-4in5-the-path')
  expect(secretValues({ command: ['x', '--token', 'hunter2', 'y'], env: {} })).toEqual(['hunter2'])
})

test('the longest secret is replaced first, and one under four characters stays', () => {
  const text = 'abcdefgh-ijkl, abcdefgh, (a+b)*[c].$, abc'
  expect(redact(text, ['abcdefgh', 'abcdefgh-ijkl', '(a+b)*[c].$', 'abc', ''])).toBe('***, ***, ***, abc')
})

describe('a server that repeats what it was given', () => {
  test('shows no secret in the error of a call', async () => {
    const env = { PATH: process.env['PATH'] ?? '', API_KEY: 'env-secret.123456' }
    const reach = { command: rawServer('leaks'), env }
    await using servers = createRawServers([byCommand('raw', [], { reach })])
    await servers.until(() => servers.ids().length > 0)
    const context = { signal: new AbortController().signal } as ToolContext
    expect((await servers.tool('raw_deny')!.run({}, context)).content).toMatch(
      /^ERROR: raw_deny: .*bad \*\*\*$/,
    )
  })

  test('shows none in its tools, a result or progress', async () => {
    const env = { PATH: process.env['PATH'] ?? '', API_KEY: 'env-secret.123456' }
    const reach = { command: rawServer('leaks'), env }
    await using servers = createRawServers([byCommand('raw', [], { reach })])
    await servers.until(() => servers.ids().length > 0)
    const told: unknown[] = []
    const context = { signal: new AbortController().signal, progress: (one: unknown) => told.push(one) }
    const { content } = await servers.tool('raw_tell')!.run({}, context as unknown as ToolContext)
    const { title, description } = servers.tool('raw_tell')!
    expect([title, description]).toEqual(['T ***', 'Asks with ***.'])
    expect(content).toContain('I have ***')
    expect(JSON.stringify(told)).toContain('as ***')
  })

  test('shows no secret of its address when it cannot be reached', async () => {
    const server = await startHttpMcpServer('events')
    await server[Symbol.asyncDispose]()
    const url = `${server.url}?api_key=key-in-address`
    await using servers = createRawServers([{ name: 'far', trust: 'ask', reach: { url } }])
    await servers.until(() => servers.state('far')?.kind === 'down')
    expect(JSON.stringify(servers.state('far'))).not.toContain('key-in-address')
  })
})
