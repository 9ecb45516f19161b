import { generateKeyPairSync } from 'node:crypto'
import { InMemoryTransport, type JSONRPCMessage } from '@modelcontextprotocol/client'
import { describe, expect, test } from 'vitest'
import { receivingMasked } from '../../../../src/adapters/mcp/masked-messages.ts'
import { originOf, secretsOf } from '../../../../src/adapters/mcp/secrets.ts'
import type { ToolProgress } from '../../../../src/chat/tool-progress.ts'
import type { JsonObject } from '../../../../src/lib/json.ts'
import type { ToolContext } from '../../../../src/tools/context.ts'
import { startHttpMcpServer } from '../../../support/mcp/http-server.ts'
import { byCommand, createRawServers, rawServer, type RawServers } from '../../../support/mcp/raw-servers.ts'
import { openInMemory } from '../../../support/storage.ts'

const API_KEY = 'env-secret.123456'

async function call(servers: RawServers, id: string, args: JsonObject = {}) {
  const told: ToolProgress[] = []
  const context = { signal: new AbortController().signal, progress: (one: ToolProgress) => told.push(one) }
  const result = await servers.tool(id)!.run(args, context as unknown as ToolContext)
  return { ...result, told }
}

describe('what a server was given in secret', () => {
  test('is taken out of its tools before they are kept, and of results, progress and errors', async () => {
    const storage = await openInMemory()
    const env = { PATH: process.env['PATH'] ?? '', API_KEY, PIN_TOKEN: '1234567', PLACE: 'a public place' }
    const reach = { command: rawServer('leaks'), env }
    await using servers = createRawServers(
      [byCommand('raw', [], { reach })],
      {},
      { pins: storage.tools.mcp.pins },
    )
    await servers.until(() => servers.ids().length === 5)
    const { title, description, schema } = servers.tool('raw_tell')!
    expect({ title, description, schema }).toEqual({
      title: 'T ***',
      description: 'Asks with ***.',
      schema: { type: 'object', properties: { a: { type: 'string', default: '***', examples: ['***'] } } },
    })
    const kept = await storage.tools.mcp.pins.find('raw', ['"tell"'])
    expect(JSON.stringify(kept)).toContain('Asks with ***.')
    const { content, told } = await call(servers, 'raw_tell')
    expect(content.replaceAll(/\s/g, '')).toContain('{"***":["***"]}')
    expect(JSON.stringify(told)).toContain('as ***')
    // A short one is too often a part of something else, and a variable with another name is no secret.
    expect((await call(servers, 'raw_key')).content).toContain('\n*** 1234567 a public place\n')
    expect((await call(servers, 'raw_deny')).content).toMatch(/^ERROR: raw_deny: .*bad \*\*\*$/)
  })

  test('is taken out as it stands in JSON, also in JSON within JSON, and line by line', async () => {
    const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'secp521r1' })
    const SIGNING_KEY = privateKey.export({ type: 'pkcs8', format: 'pem' }).toString()
    const DB_PASSWORD = 'p"w\\d-12345'
    const env = { PATH: process.env['PATH'] ?? '', SIGNING_KEY, DB_PASSWORD }
    const reach = { command: rawServer('leaks'), env }
    await using servers = createRawServers([byCommand('raw', [], { reach })])
    await servers.until(() => servers.ids().length === 5)
    for (const id of ['raw_printenv', 'raw_structured']) {
      const { content } = await call(servers, id)
      expect(content).toContain('SIGNING_KEY')
      expect(content).not.toContain('12345')
      for (const line of SIGNING_KEY.split('\n').filter(({ length }) => length > 7))
        expect(content).not.toContain(line)
    }
  })

  test('leaves out what could not be called by its own name; a plain word of a setting is no secret', async () => {
    const settings = { AUTH_METHOD: 'password', SESSION_STORE: 'postgres', AUTH_FLOW: 'client_credentials' }
    const env = { PATH: process.env['PATH'] ?? '', API_KEY, ...settings }
    const reach = { command: rawServer('named'), env }
    await using servers = createRawServers([byCommand('raw', [], { reach })])
    await servers.until(() => servers.state('raw')?.kind === 'up')
    expect(servers.ids()).toEqual(['raw_postgres_query', 'raw_ruler'])
    const why = 'its name or its arguments have a word in them that the server was given in secret (API_KEY)'
    expect(servers.state('raw')).toEqual({
      kind: 'up',
      leftOut: ['of_***', 'argument', 'choice'].map((name) => ({ name, why })),
    })
    const { content } = await call(servers, 'raw_postgres_query', { password: 'postgres' })
    expect(content).toContain('a query with {"password":"postgres"}')
    expect(servers.tool('raw_ruler')!.description).toBe('*** draws')
  })

  test('counts where its name says that it is one, however plain it is', async () => {
    const env = { PATH: process.env['PATH'] ?? '', API_KEY, DB_PASSWORD: 'postgres' }
    const reach = { command: [...rawServer('named', ''), '--token', 'client_credentials'], env }
    await using servers = createRawServers([byCommand('raw', [], { reach })])
    await servers.until(() => servers.ids().length > 0)
    expect(servers.ids()).toEqual(['raw_ruler'])
  })

  test('is taken out as it was written in the address, with its codes', async () => {
    await using server = await startHttpMcpServer('events')
    const url = `${server.url}?api_key=abc%2Bdef%2F123456&area=a%2Bplain%2Bplace`
    await using servers = createRawServers([{ name: 'far', trust: 'ask', reach: { url } }])
    await servers.until(() => servers.ids().length > 0)
    const { content } = await call(servers, 'far_echo', { a: url, b: 'abc+def/123456' })
    expect(content).toContain('?api_key=***&area=a%2Bplain%2Bplace","b":"***"')
  })

  test('is taken out where it was a header, or a key in the address, and no other word of an address is', async () => {
    await using server = await startHttpMcpServer('events')
    const headers = { Authorization: 'Bearer s3cret-token' }
    const url = `${server.url}/k1e2y3-4in5-the-path?api_key=key-in-address&area=everything`
    await using servers = createRawServers([{ name: 'far', trust: 'ask', reach: { url, headers } }])
    await servers.until(() => servers.ids().length > 0)
    const { content } = await call(servers, 'far_echo', {
      a: 's3cret-token',
      b: 'key-in-address',
      c: 'everything',
      d: 'k1e2y3-4in5-the-path',
    })
    expect(content).toContain('{"a":"***","b":"***","c":"everything","d":"***"}')
  })
})

test.each([
  ['DB_PASSWORD_PROD', 'swordfish', true],
  ['API_KEY_1', 'swordfish', true],
  ['apiKeyOne', 'swordfish', true],
  ['PASS', 'swordfish', true],
  ['PGPASSWORD', 'swordfish', true],
  ['GMAIL_AUTH', 'abcd efgh ijkl mnop', true],
  ['auth', 'swordfish', true],
  ['AUTH_METHOD', 'password', false],
  ['AUTH_METHOD', 'k3y-of-somebody', true],
  ['SESSION_STORE', 'postgres', false],
  ['COMPASS_MODE', 'northwards', false],
  ['TOKENIZER', 'sentencepiece', false],
  ['AUTHOR', 'somebody', false],
])('of %s=%s it is known whether it is a secret: %s', (name, value, isOne) => {
  const secrets = isOne ? [value] : []
  expect(secretsOf({ command: ['x'], env: { [name]: value } })).toEqual(secrets)
  expect(secretsOf({ command: ['x', `--${name}=${value}`], env: {} })).toEqual(secrets)
  const url = new URL('https://far.example.org/mcp')
  url.searchParams.set(name, value)
  expect(secretsOf({ url: url.href }).includes(value)).toBe(isOne)
})

test('is told apart by where it comes from, without a word of the command or the address', () => {
  const command = ['x', '--token', 'hunter2hunter2']
  const env = { PATH: '/bin', TOKENIZER: 'cl100k_base', DB_PASSWORD: 'a"b/c/d/e\nanother line' }
  const origin = (form: string): string => originOf(form, { command, env })
  expect(['cl100k_base', 'another line', String.raw`a\"b/c/d/e`, 'hunter2hunter2'].map(origin)).toEqual([
    'TOKENIZER',
    'DB_PASSWORD',
    'DB_PASSWORD',
    'an argument of its command',
  ])
  const far = {
    url: 'https://far.example.org/mcp?key=swordfish',
    headers: { 'x-key': 'Bearer s3cret-token' },
  }
  expect(['s3cret-token', 'swordfish', 'a-token-of-a-login'].map((form) => originOf(form, far))).toEqual([
    'a header',
    'its address',
    'its login',
  ])
})

/** A message as a transport hands it on that hides these. */
async function received(message: object, secrets: readonly string[]): Promise<JSONRPCMessage> {
  const [near, far] = InMemoryTransport.createLinkedPair()
  const masked = receivingMasked(near, () => secrets)
  const came = new Promise<JSONRPCMessage>((resolve) => Object.assign(masked, { onmessage: resolve }))
  await masked.start()
  await far.send({ jsonrpc: '2.0', ...message } as JSONRPCMessage)
  return await came
}

describe('a message', () => {
  test('is for whom it is for, whatever is secret; a number can be a secret', async () => {
    const message = { id: 'request-12345678', method: 'tools/list', params: { a: 12_345_678, b: 1, c: null } }
    const came = await received(message, ['tools/list', '12345678'])
    expect(came).toEqual({ jsonrpc: '2.0', ...message, params: { a: '***', b: 1, c: null } })
  })

  test('has the longest secret taken out first, and signs in one mean themselves', async () => {
    const result = { text: 'abcdefgh-ijkl, abcdefgh, (a+b)*[c].$, (aab)' }
    const came = await received({ id: 1, result }, ['abcdefgh', 'abcdefgh-ijkl', '(a+b)*[c].$', ''])
    expect(came).toMatchObject({ result: { text: '***, ***, ***, (aab)' } })
  })

  test('has them taken out as other libraries write JSON, with `\\/` and codes, also in JSON within JSON', async () => {
    const secret = 'wJal/K7\u00efME\u20acNG/\ud83d\ude00"x'
    const php = JSON.stringify(secret)
      .replaceAll(/[^ -~]/g, (one) => `\\u${one.charCodeAt(0).toString(16).padStart(4, '0')}`)
      .replaceAll('/', '\\/')
    expect(php).toBe('"wJal\\/K7\\u00efME\\u20acNG\\/\\ud83d\\ude00\\"x"')
    const python = php.replaceAll('\\/', '/')
    const capitals = python
      .replaceAll('\\u00ef', '\\u00EF')
      .replaceAll('20ac', '20AC')
      .replaceAll('d83d', 'D83D')
      .replaceAll('de00', 'DE00')
    const slashes = JSON.stringify(secret).replaceAll('/', '\\/')
    const forms = [secret, php, python, capitals, slashes, JSON.stringify(php), JSON.stringify(python)]
    const came = await received({ id: 1, result: { forms } }, [secret])
    const { result } = came as unknown as { result: { forms: readonly string[] } }
    expect(result.forms.map((form) => form.replaceAll(/["\\]/g, ''))).toEqual(forms.map(() => '***'))
    const lines = 'one/line/of/it\nanother/line'
    const shown = await received({ id: 1, result: { text: 'one\\/line\\/of\\/it, another\\/line' } }, [lines])
    expect(shown).toMatchObject({ result: { text: '***, ***' } })
  })

  test('may be nested as deep and be as long as it likes, and have names like __proto__', async () => {
    const depth = 200_000
    const deep: unknown = JSON.parse(`${'['.repeat(depth)}"secret-secret"${']'.repeat(depth)}`)
    const odd: unknown = JSON.parse('{"__proto__":"secret-secret","constructor":{"secret-secret":1}}')
    const long = 'secret-secret '.repeat(300_000)
    const came = await received({ id: 1, result: { deep, odd, long } }, ['secret-secret'])
    const { result } = came as unknown as { result: { deep: unknown; odd: object; long: string } }
    let inner: unknown = result.deep
    while (Array.isArray(inner)) [inner] = inner
    expect(inner).toBe('***')
    expect(JSON.stringify(result.odd)).toBe('{"__proto__":"***","constructor":{"***":1}}')
    expect(result.long).toBe('*** '.repeat(300_000))
  })
})
