import { EventEmitter, once } from 'node:events'
import { type Socket, connect } from 'node:net'
import { expect, test } from 'vitest'
import type { HttpServerOptions } from '../../../../src/server/http/routes.ts'
import { createConnectionCount } from '../../../../src/server/http/server.ts'
import { networkOf } from '../../../../src/base/network.ts'
import { createDeferred } from '../../../../src/base/jobs/waiting.ts'
import { headers, serveMcp } from '../../../support/serve-mcp.ts'

/** A connection from an address that this machine does not have. */
const from = (remoteAddress: string): Socket =>
  Object.assign(new EventEmitter(), { remoteAddress, destroy: () => undefined }) as unknown as Socket

test('an IPv6 network and an IPv4-mapped address count as one address per HTTP connection limit', () => {
  const countIn = createConnectionCount({
    limits: { connections_per_address: 2, connections: 5 },
    settings: () => ({ proxies: ['10.0.0.9'] }),
    visitors: { failed: () => 0, networkOf },
  } as unknown as HttpServerOptions)
  const come = (address: string): string | undefined => countIn(from(address))
  const crowded = 'your address has too many connections here; close one of them first'
  const first = from('fd00::1')
  expect(countIn(first)).toBeUndefined()
  expect(come('fd00::2')).toBeUndefined()
  expect(come('fd00::3')).toBe(crowded)
  first.emit('close')
  expect(come('fd00::4')).toBeUndefined()
  for (const address of ['192.0.2.1', '::ffff:192.0.2.1']) expect(come(address)).toBeUndefined()
  expect(come('192.0.2.1')).toBe(crowded)
  expect(come('10.0.0.9')).toBeUndefined()
  expect(come('10.0.0.9')).toBe('too many connections; try again later')
})

/** A client that asks for the stream, and never reads it. */
async function openUnread(port: number): Promise<Disposable> {
  const socket = connect(port, '127.0.0.1').pause()
  socket.on('error', () => undefined)
  await once(socket, 'connect')
  socket.write(`GET /mcp HTTP/1.1\r\nHost: localhost\r\nAuthorization: ${headers.authorization}\r\n\r\n`)
  return { [Symbol.dispose]: () => void socket.destroy() }
}

/** An answer of these pieces, one for each call; undefined ends it, and what is awaited keeps it open. */
function answerOf(piece: () => Uint8Array | undefined | Promise<undefined>) {
  const cancelled = createDeferred<void>()
  const stream = new ReadableStream<Uint8Array>({
    async pull(controller) {
      const next = await piece()
      if (next) controller.enqueue(next)
      else controller.close()
    },
    cancel: () => cancelled.resolve(),
  })
  return { response: new Response(stream), cancelled: cancelled.promise }
}

test('an HTTP client that does not read a stream is disconnected when too much is queued for it', async () => {
  let sent = 0
  const { response, cancelled } = answerOf(() => {
    sent += 64 * 1024
    return new Uint8Array(64 * 1024)
  })
  await using server = await serveMcp(async () => response)
  using _client = await openUnread(server.port)
  await cancelled
  expect(sent).toBeLessThan(100_000_000)
})

test('an HTTP client that reads gets all of a long chunk; one that reads nothing is cut off', async () => {
  const pieces = 32_000_000
  const long = (then: undefined | Promise<undefined>) => {
    let isFirst = true
    return answerOf(() => {
      const piece = isFirst ? new Uint8Array(pieces) : then
      isFirst = false
      return piece
    })
  }
  const unread = long(new Promise(() => undefined))
  await using server = await serveMcp(
    async (request) => (request.method === 'GET' ? unread.response : long(undefined).response),
    1,
  )
  using _client = await openUnread(server.port)
  const read = await fetch(`http://127.0.0.1:${server.port}/mcp`, { method: 'POST', headers })
  expect((await read.arrayBuffer()).byteLength).toBe(pieces)
  await unread.cancelled
})

test('an HTTP client that pipelines requests without reading answers is disconnected', async () => {
  let answered = 0
  await using server = await serveMcp(async () => {
    answered += 1
    return new Response('x'.repeat(100_000))
  }, 0.2)
  const socket = connect(server.port, '127.0.0.1').pause()
  socket.on('error', () => undefined)
  // So long that some of them wait here: who writes notices the end of a connection that they do not read.
  const long = `Authorization: ${headers.authorization}\r\nX: ${'x'.repeat(10_000)}`
  socket.write(`DELETE /mcp HTTP/1.1\r\nHost: localhost\r\n${long}\r\n\r\n`.repeat(2_000))
  await new Promise((resolve) => socket.once('close', resolve))
  expect(answered).toBeLessThan(200)
})

test('an idle HTTP stream is not disconnected as stalled', async () => {
  const stallS = 0.05
  let number = 0
  const { response } = answerOf(() => {
    number += 1
    if (number === 1) return new Uint8Array(1)
    return new Promise((resolve) => setTimeout(resolve, 4_000 * stallS, undefined))
  })
  await using server = await serveMcp(async () => response, stallS)
  const read = await fetch(`http://127.0.0.1:${server.port}/mcp`, { headers })
  expect((await read.arrayBuffer()).byteLength).toBe(1)
})
