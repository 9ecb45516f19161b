import { expect, test } from 'vitest'
import { MessageReader } from '../../../../src/adapters/mcp/client/message-reader.ts'

/** Reads a text while pings with these ids wait. With `isReply` it answers the first of them. */
function readMessages(text: string, waiting: readonly number[], isReply = false) {
  const reader = new MessageReader()
  for (const id of waiting) reader.sent({ jsonrpc: '2.0', id, method: 'ping' })
  return reader.read({ text, isCut: false }, isReply ? waiting[0] : undefined, isReply)
}

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
  const message = expect.stringMatching(/^its answer to ping could not be read: /)
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

test('a cancelled request waits no longer', () => {
  const reader = new MessageReader()
  for (const id of [7, 8]) reader.sent({ jsonrpc: '2.0', id, method: 'ping' })
  reader.sent({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 7 } })
  expect(reader.read({ text: PARSE_ERROR, isCut: false })).toMatchObject([{ id: 8 }])
})
