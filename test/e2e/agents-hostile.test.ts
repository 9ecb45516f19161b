import { expect, test } from 'vitest'
import { isJsonObject, parseJson, type JsonObject } from '../../src/base/json.ts'
import { forAllTests } from '../support/for-all-tests.ts'
import { createStageHere } from '../support/stage.ts'
import { openSsh, ssh } from '../support/ssh.ts'

const stage = await forAllTests(
  createStageHere({ config: '[limits]\nrate_burst = 1000\nexec_per_person = 2\n' }),
)
await stage.claim('rhea')
const key = await stage.home.key('mallory')
const target = { user: 'mallory', port: stage.server.port, key, options: ['-o', 'LogLevel=ERROR'] }

const HELLO = {
  jsonrpc: '2.0',
  id: 'hello',
  method: 'initialize',
  params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'raw', version: '1' } },
}
const PING = { jsonrpc: '2.0', id: 'ping', method: 'ping' }
const tool = (id: number | string, name: string, args: object = {}) => ({
  jsonrpc: '2.0',
  id,
  method: 'tools/call',
  params: { name, arguments: args },
})

/** A request in the revision of 2026-07-28. */
const newest = (id: number, method: string, params: object = {}) => ({
  jsonrpc: '2.0',
  id,
  method,
  params: {
    ...params,
    _meta: {
      'io.modelcontextprotocol/protocolVersion': '2026-07-28',
      'io.modelcontextprotocol/clientInfo': { name: 'raw', version: '1' },
      'io.modelcontextprotocol/clientCapabilities': {},
    },
  },
})

const lines = (...messages: readonly (object | string)[]): string =>
  messages.map((one) => `${typeof one === 'string' ? one : JSON.stringify(one)}\n`).join('')

/** Sends all of this at once, ends the input, and gives what was answered, by id. */
async function exchange(input: string | Uint8Array) {
  const { stdout, stderr, exitCode } = await ssh(target, ['mcp', 'serve'], { input })
  const answers = stdout
    .split('\n')
    .filter((line) => line !== '')
    .map(parseJson)
    .filter(isJsonObject)
  const of = (id: string | number | null): readonly JsonObject[] => answers.filter((one) => one['id'] === id)
  return { answers, of, stderr, exitCode }
}

const errorCodes = (answers: readonly JsonObject[]) =>
  answers.map(({ error }) => (isJsonObject(error) ? error['code'] : 'no error'))

/** What is no message, and the code of its error. */
const NO_MESSAGES: readonly (readonly [line: string, code: number])[] = [
  ['hello?', -32_700],
  ['{"jsonrpc":"2.0","id":1,', -32_700],
  ['42', -32_600],
  ['null', -32_600],
  [JSON.stringify([PING, PING]), -32_600],
  ['[]', -32_600],
  ['{"jsonrpc":"2.0","id":null}', -32_600],
  ['{"jsonrpc":"1.0","id":null,"method":"ping"}', -32_600],
  [`${'['.repeat(30_000)}${']'.repeat(30_000)}`, -32_600],
  [`{"jsonrpc":"2.0","method":"ping","params":${'{"a":'.repeat(5_000)}1${'}'.repeat(5_000)}}`, -32_600],
  [`{"jsonrpc":"2.0","id":1,"x":"${'x'.repeat(200_000)}"}`, -32_600],
]

test('invalid JSON-RPC lines get one error each, and the ping after them is answered', async () => {
  const { of, exitCode, stderr } = await exchange(lines(HELLO, ...NO_MESSAGES.map(([line]) => line), PING))
  expect(errorCodes(of(null))).toEqual(NO_MESSAGES.map(([, code]) => code))
  expect(of('ping')).toEqual([{ jsonrpc: '2.0', id: 'ping', result: {} }])
  expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' })
})

test('a line of invalid UTF-8, NUL and escape bytes gets a parse error', async () => {
  const junk = Uint8Array.from([0, 0xff, 0xfe, 0x1b, 0x5b, 0x32, 0x4a, 0xc3, 0x28, 10])
  const { of, exitCode } = await exchange(
    Buffer.concat([Buffer.from(lines(HELLO)), junk, Buffer.from(lines(PING))]),
  )
  expect(errorCodes(of(null))).toEqual([-32_700])
  expect(of('ping')).toHaveLength(1)
  expect(exitCode).toBe(0)
})

test('a message that is cut off by the end of the input gets a parse error', async () => {
  const { of, exitCode } = await exchange(`${lines(HELLO)}${JSON.stringify(PING).slice(0, -5)}`)
  expect(errorCodes(of(null))).toEqual([-32_700])
  expect(exitCode).toBe(0)
})

test('unmatched responses, unknown notifications and cancellations of unknown requests are ignored', async () => {
  const { answers } = await exchange(
    lines(
      HELLO,
      { jsonrpc: '2.0', id: 99, result: {} },
      { jsonrpc: '2.0', id: 98, error: { code: 1, message: 'no' } },
      { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 97 } },
      { jsonrpc: '2.0', method: 'notifications/what' },
      '',
      '\r',
      PING,
    ),
  )
  expect(answers.map(({ id }) => id)).toEqual(['hello', 'ping'])
})

test('an unknown method gets an error, and a tool call before initialize gets an answer', async () => {
  const { of } = await exchange(lines(tool(1, 'list_rooms'), { ...PING, id: 2, method: 'rooms/burn' }))
  expect(of(1)).toHaveLength(1)
  expect(errorCodes(of(2))).toEqual([-32_601])
})

test('a second initialize with another client name does not change the author of messages', async () => {
  const other = {
    ...HELLO,
    id: 'again',
    params: { ...HELLO.params, clientInfo: { name: 'rhea', version: '2' } },
  }
  const { of } = await exchange(lines(HELLO, other, tool(1, 'say', { room: 'lobby', text: 'who am I?' })))
  expect(of('again')).toHaveLength(1)
  expect(of(1)).toMatchObject([{ result: { content: [{ text: 'said' }] } }])
  const { stdout } = await stage.as('rhea', ['history', 'lobby', '-n', '1'])
  expect(stdout).toContain('mallory: who am I?')
})

test('the MCP server accepts CRLF line ends and messages that arrive character by character', async () => {
  const session = openSsh(target, ['mcp', 'serve'])
  const text = lines(HELLO).replace('\n', '\r\n') + lines(PING)
  for (const character of text) session.write(character)
  await session.waitFor('"ping"')
  session.close()
  expect(await session.exit).toBe(0)
})

test('a second subscription with the id of an open one is rejected, and the open one continues', async () => {
  const listen = newest(7, 'subscriptions/listen', {
    notifications: { resourceSubscriptions: ['room://lobby/log'] },
  })
  await using session = openSsh(target, ['mcp', 'serve'])
  session.write(lines(newest(1, 'server/discover'), listen))
  await session.waitFor('acknowledged')
  session.write(lines(listen))
  await session.waitFor('a request with this id waits for its answer; give each its own')
  await stage.as('rhea', ['say', 'lobby', 'news'])
  await session.waitFor('"uri":"room://lobby/log"')
})

test('the command mcp serve exits with status 0 and without output if its input is empty', async () => {
  expect(await ssh(target, ['mcp', 'serve'])).toEqual({ exitCode: 0, stdout: '', stderr: '' })
})

test('/mcp serve in a session and an unknown word after mcp are rejected with a hint', async () => {
  await using session = await stage.open('rhea', '-T')
  session.write('/mcp serve\n')
  await session.waitFor('an agent runs it, and not a session: ssh HOST mcp serve')
  expect(await stage.as('rhea', ['mcp', 'what'])).toMatchObject({
    exitCode: 2,
    stderr: expect.stringContaining('serve') as string,
  })
})

test('a ban ends the command mcp serve with status 1 and the reason', async () => {
  const key = await stage.home.key('eve')
  await using eve = openSsh({ ...target, user: 'eve', key }, ['mcp', 'serve'])
  eve.write(lines(HELLO))
  await eve.waitFor('serverInfo')
  await stage.as('rhea', ['ban', 'eve', '1h', 'noise'])
  expect(await eve.exit).toBe(1)
  expect(eve.errors()).toMatch(/^! you were banned from this server.*noise/)
})

test('the command mcp serve counts toward exec_per_person', async () => {
  const first = [1, 2].map(() => openSsh(target, ['mcp', 'serve']))
  for (const one of first) one.write(lines(HELLO))
  await Promise.all(first.map((one) => one.waitFor('serverInfo')))
  expect(await ssh(target, ['mcp', 'serve'])).toMatchObject({
    exitCode: 1,
    stderr: 'Too many commands at once; wait until one of yours has ended.\n',
  })
  for (const one of first) one.close()
  expect(await Promise.all(first.map((one) => one.exit))).toEqual([0, 0])
})
