import { describe, expect, test } from 'vitest'
import type { JSONRPCMessage } from '@modelcontextprotocol/server'
import { createLineTransport } from '../../../../../src/adapters/mcp/server/line-transport.ts'
import { createDeferred } from '../../../../../src/lib/deferred.ts'

/** A pipe that a test writes into and reads from. */
function createPipe() {
  const gone = new AbortController()
  const draining = new AbortController()
  const sent: { id?: unknown; error?: { message: string } }[] = []
  const incoming: Uint8Array[] = []
  let wake = createDeferred<void>()
  let room: Promise<void> = Promise.resolve()
  let hasEnded = false
  async function* stdin() {
    for (;;) {
      const [chunk] = incoming.splice(0, 1)
      if (chunk) yield chunk
      else if (hasEnded) return
      else await wake.promise
    }
  }
  const woken = (): void => {
    wake.resolve()
    wake = createDeferred()
  }
  const transport = createLineTransport({
    stdin: stdin(),
    out: async (text) => {
      sent.push(JSON.parse(text) as (typeof sent)[number])
      await room
    },
    work: async (piece) => piece(),
    signal: gone.signal,
    draining: draining.signal,
    maxBytes: 1_000,
  })
  const taken: JSONRPCMessage[] = []
  Object.assign(transport, { onmessage: (message: JSONRPCMessage) => taken.push(message) })
  return {
    transport,
    taken,
    sent,
    gone,
    draining,
    write(...messages: readonly object[]) {
      incoming.push(Buffer.from(messages.map((one) => `${JSON.stringify(one)}\n`).join('')))
      woken()
    },
    end() {
      hasEnded = true
      woken()
    },
    /** The client reads nothing until this is resolved. */
    fill() {
      const { promise, resolve } = createDeferred<void>()
      room = promise
      return () => {
        room = Promise.resolve()
        resolve()
      }
    },
  }
}

const request = (id: number) => ({ jsonrpc: '2.0' as const, id, method: 'ping' })
const call = (id: number) => ({ ...request(id), method: 'tools/call' })
const result = (id: number) => ({ jsonrpc: '2.0' as const, id, result: {} })
const settle = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

describe('a transport of lines', () => {
  test('is over once its input has ended and everything is answered, and not before', async () => {
    const pipe = createPipe()
    let isOver = false
    void pipe.transport.ended.then(() => (isOver = true))
    await pipe.transport.start()
    pipe.write(request(1), request(2))
    pipe.end()
    await settle()
    await pipe.transport.send(result(1))
    await settle()
    expect(isOver).toBe(false)
    await pipe.transport.send(result(2))
    await pipe.transport.ended
    expect(pipe.sent.map(({ id }) => id)).toEqual([1, 2])
    await expect(pipe.transport.send(result(3))).rejects.toThrow('gone')
  })

  test('waits for no answer to what was cancelled, and is over at once when the client is gone', async () => {
    const cancelled = createPipe()
    await cancelled.transport.start()
    cancelled.write(request(1), {
      jsonrpc: '2.0',
      method: 'notifications/cancelled',
      params: { requestId: 1 },
    })
    cancelled.end()
    await cancelled.transport.ended
    const left = createPipe()
    await left.transport.start()
    left.write(request(1))
    await settle()
    left.gone.abort()
    await left.transport.ended
    const early = createPipe()
    early.gone.abort()
    await early.transport.start()
    await early.transport.ended
  })

  test('refuses what is asked once the server drains, but for a ping, and is over once all before is answered', async () => {
    const pipe = createPipe()
    await pipe.transport.start()
    pipe.write(call(1), call(2), call(3))
    await settle()
    pipe.draining.abort()
    const cancelled = { jsonrpc: '2.0' as const, method: 'notifications/cancelled', params: { requestId: 2 } }
    pipe.write(call(4), request(5), cancelled)
    await settle()
    expect(pipe.taken).toEqual([call(1), call(2), call(3), request(5), cancelled])
    expect(pipe.sent).toEqual([
      {
        jsonrpc: '2.0',
        id: 4,
        error: { code: -32_000, message: 'the server is stopping; ask again when it is back' },
      },
    ])
    await pipe.transport.send(result(5))
    await pipe.transport.send(result(1))
    pipe.write(request(6))
    await settle()
    expect(pipe.taken.at(-1)).toEqual(request(6))
    await pipe.transport.send(result(3))
    await pipe.transport.send(result(6))
    await pipe.transport.ended
    expect(pipe.sent.map(({ id }) => id)).toEqual([4, 5, 1, 3, 6])
  })

  test('is over at once when the server drains and nothing waits, also where it drains already', async () => {
    for (const isEarly of [true, false]) {
      const pipe = createPipe()
      if (isEarly) pipe.draining.abort()
      await pipe.transport.start()
      pipe.draining.abort()
      await pipe.transport.ended
    }
  })

  test('reads nothing more while the client does not read what it caused', async () => {
    const pipe = createPipe()
    await pipe.transport.start()
    const read = pipe.fill()
    pipe.write({ what: 1 }, { what: 2 }, request(3))
    await settle()
    expect(pipe.sent).toHaveLength(1)
    expect(pipe.taken).toEqual([])
    read()
    await settle()
    expect(pipe.sent).toHaveLength(2)
    expect(pipe.taken).toEqual([request(3)])
  })

  test('lets so many requests wait, refuses those beyond and those of an id that waits, and takes more later', async () => {
    const pipe = createPipe()
    await pipe.transport.start()
    pipe.write(...Array.from({ length: 34 }, (_, id) => request(id)))
    await settle()
    expect(pipe.taken).toHaveLength(32)
    expect(pipe.sent.map(({ id, error }) => [id, error?.message])).toEqual([
      [32, '32 requests wait for their answers already; wait for one of them'],
      [33, '32 requests wait for their answers already; wait for one of them'],
    ])
    await pipe.transport.send(result(0))
    pipe.write(request(5), request(0))
    await settle()
    expect(pipe.sent.at(-1)?.error?.message).toMatch('with this id waits')
    expect(pipe.taken).toHaveLength(33)
  })

  test('keeps the id of a stream of changes for it until it ends, and does not wait for that', async () => {
    const pipe = createPipe()
    await pipe.transport.start()
    const listen = { ...request(7), method: 'subscriptions/listen' }
    pipe.write(listen, request(7), listen)
    await settle()
    expect(pipe.taken).toEqual([listen])
    expect(pipe.sent.map(({ id, error }) => [id, error?.message])).toEqual([
      [7, 'a request with this id waits for its answer; give each its own'],
      [7, 'a request with this id waits for its answer; give each its own'],
    ])
    pipe.write({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 7 } }, request(7))
    await settle()
    expect(pipe.taken.at(-1)).toEqual(request(7))
  })
})
