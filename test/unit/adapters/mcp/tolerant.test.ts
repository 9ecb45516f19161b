import { expect, test } from 'vitest'
import { readMessages } from '../../../../src/adapters/mcp/client/tolerant.ts'

const PARSE_ERROR = '{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"Parse error"}}'

test('an error without an id is the answer to the only request that waits', () => {
  const error = { code: -32_700, message: 'Parse error' }
  expect(readMessages(PARSE_ERROR, [7])).toEqual([{ jsonrpc: '2.0', id: 7, error }])
  expect(readMessages(PARSE_ERROR, [7, 8])).toEqual([])
})

test.each(['Server running', '', '{"level":30,"id":7,"msg":"up"}', '{"level":', 'null', '7', '[]'])(
  'the line %s is no message',
  (line) => {
    expect(readMessages(line, [7])).toEqual([])
  },
)

test.each(['', '<html></html>', 'null', '[]'])('the reply %s fails the request that it answers', (reply) => {
  const message = expect.stringMatching(/^its answer could not be read: /)
  expect(readMessages(reply, [7], true)).toEqual([
    { jsonrpc: '2.0', id: 7, error: { code: -32_000, message } },
  ])
})

test('a reply with another id answers the request that was asked', () => {
  expect(readMessages('{"jsonrpc":"2.0","id":1,"result":{}}', [7], true)).toEqual([
    { jsonrpc: '2.0', id: 7, result: {} },
  ])
})

test('a notification without params is read', () => {
  const line = '{"jsonrpc":"2.0","id":null,"method":"notifications/tools/list_changed","params":null}'
  expect(readMessages(line, [])).toEqual([{ jsonrpc: '2.0', method: 'notifications/tools/list_changed' }])
})

test('a message that is nested without end is read without recursion', () => {
  const deep = `${'{"a":'.repeat(200_000)}null${'}'.repeat(200_000)}`
  expect(readMessages(`{"jsonrpc":"2.0","id":7,"result":${deep}}`, [7])).toHaveLength(1)
})
