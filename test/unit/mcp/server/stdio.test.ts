import { afterEach, describe, expect, test } from 'vitest'
import { serveAgentOverPipe } from '../../../../src/mcp/server/stdio.ts'
import { idleAgent } from '../../../support/mcp/idle-agent.ts'
import { createDeferred } from '../../../../src/base/jobs/waiting.ts'
import { createScheduler, type Account } from '../../../../src/base/jobs/scheduler.ts'
import { INITIALIZE } from '../../../support/mcp/http-agent.ts'

interface Answer {
  readonly id?: unknown
  readonly result?: object
  readonly error?: { readonly code: number; readonly message: string }
}

const clients: { leave(): void }[] = []
afterEach(() => clients.splice(0).forEach((client) => client.leave()))

/** A client of an agent whose commands wait until the test ends them. */
function createClient({ work = async (piece: () => void): Promise<void> => piece() } = {}) {
  const [gone, draining] = [new AbortController(), new AbortController()]
  const texts: string[] = []
  const incoming: Uint8Array[] = []
  const running = new Map<string, () => void>()
  let [changed, space] = [createDeferred<void>(), Promise.resolve()]
  let hasEnded = false
  const wake = (): void => {
    changed.resolve()
    changed = createDeferred()
  }
  async function* stdin() {
    for (;;) {
      const chunk = incoming.shift()
      if (chunk) yield chunk
      else if (hasEnded) return
      else await changed.promise
    }
  }
  const agent = idleAgent({
    run: async ({ room = '' }) => {
      const ended = createDeferred<void>()
      running.set(room, ended.resolve)
      wake()
      await ended.promise
      return { ok: true, out: '', told: '' }
    },
    signal: gone.signal,
  })
  const out = async (text: string): Promise<void> => {
    texts.push(text)
    wake()
    await space
  }
  const served = serveAgentOverPipe(
    agent,
    { stdin: stdin(), out, work, draining: draining.signal },
    { version: '1', report() {} },
  )
  const client = {
    texts,
    running,
    draining,
    served,
    answers: () => texts.map((text) => JSON.parse(text) as Answer),
    write(...messages: readonly (object | string)[]) {
      const lines = messages.map((one) => `${typeof one === 'string' ? one : JSON.stringify(one)}\n`)
      incoming.push(Buffer.from(lines.join('')))
      wake()
    },
    /** Sends an input in chunks of one size, and ends it. */
    send(input: string, size = 65_536) {
      const bytes = Buffer.from(input)
      for (let at = 0; at < bytes.length; at += size) incoming.push(bytes.subarray(at, at + size))
      client.end()
    },
    end() {
      hasEnded = true
      wake()
    },
    leave: () => gone.abort(),
    async until(isSo: () => boolean) {
      while (!isSo()) await changed.promise
    },
    async answerTo(id: unknown) {
      const find = (): Answer | undefined => client.answers().find((one) => one.id === id)
      await client.until(() => find() !== undefined)
      return find()!
    },
    /** Reads nothing until the function returned is called. */
    stopReading() {
      const { promise, resolve } = createDeferred<void>()
      space = promise
      return () => {
        space = Promise.resolve()
        resolve()
      }
    },
  }
  clients.push(client)
  return client
}

const HELLO = { ...INITIALIZE, id: 'hello' }
const ping = (id: unknown) => ({ jsonrpc: '2.0', id, method: 'ping' })
/** A call that runs until `running.get('rID')` is called. */
const call = (id: number) => ({
  ...ping(id),
  method: 'tools/call',
  params: { name: 'leave', arguments: { room: `r${id}` } },
})
const cancel = (requestId: unknown) => ({
  jsonrpc: '2.0',
  method: 'notifications/cancelled',
  params: { requestId },
})

describe('an agent on a pipe', () => {
  test('an MCP pipe answers the requests sent before the end of its input, and then ends', async () => {
    const client = createClient()
    client.write(HELLO, call(1), call(2))
    client.end()
    await client.until(() => client.running.size === 2)
    client.running.get('r1')!()
    await client.answerTo(1)
    client.running.get('r2')!()
    await client.served
    expect(client.answers().map(({ id }) => id)).toEqual(['hello', 1, 2])
  })

  test('an MCP pipe ends after its input without waiting for a cancelled call', async () => {
    const client = createClient()
    client.write(HELLO, call(1))
    await client.until(() => client.running.size === 1)
    client.write(cancel(1))
    client.end()
    await client.served
  })

  test('an MCP pipe rejects new calls while the server stops, and ends after its last answer', async () => {
    const client = createClient()
    client.write(HELLO, call(1), call(2))
    await client.until(() => client.running.size === 2)
    client.draining.abort()
    client.write(call(3), cancel(2), ping(4))
    expect((await client.answerTo(3)).error).toEqual({
      code: -32_000,
      message: 'the server is stopping; ask again when it is back',
    })
    expect((await client.answerTo(4)).result).toEqual({})
    client.running.get('r1')!()
    await client.served
    expect(client.answers().at(-1)?.id).toBe(1)
  })

  test.each([true, false])(
    'an MCP pipe without calls ends when the server stops (before its start: %s)',
    async (isEarly) => {
      const client = createClient()
      if (!isEarly) await client.until(() => (client.write(ping(1)), true))
      client.draining.abort()
      await client.served
    },
  )

  test('an MCP pipe stops reading while its client does not read', async () => {
    const client = createClient()
    const readOn = client.stopReading()
    client.write('x', 'y', ping(1))
    await client.until(() => client.texts.length > 0)
    await new Promise((resolve) => setImmediate(resolve))
    expect(client.texts).toHaveLength(1)
    readOn()
    await client.answerTo(1)
  })

  test('an MCP pipe runs 32 calls at once, and rejects further calls and duplicate ids', async () => {
    const client = createClient()
    client.write(HELLO, ...Array.from({ length: 33 }, (_, id) => call(id + 1)))
    expect((await client.answerTo(33)).error?.message).toBe(
      '32 requests wait for their answers already; wait for one of them',
    )
    await client.until(() => client.running.size === 32)
    client.running.get('r1')!()
    await client.answerTo(1)
    client.write(call(2))
    expect((await client.answerTo(2)).error?.message).toMatch('with this id waits')
    client.write(call(34))
    await client.until(() => client.running.has('r34'))
  })

  test('an MCP pipe that is flooded by its client does not starve other pipes', async () => {
    // The clock stands still while a piece runs, and each piece costs a tenth of a millisecond.
    let now = 0
    const scheduler = createScheduler({ now: () => now, soon: (run) => void setImmediate(run) })
    let pieces = 0
    const on = (account: Account) => (piece: () => void) =>
      account.run(() => {
        now += 0.1
        pieces += 1
        piece()
      })
    const [flooding, other] = [scheduler.open(), scheduler.open()].map((account) =>
      createClient({ work: on(account) }),
    )
    flooding!.send('x\n'.repeat(20_000))
    await flooding!.until(() => pieces > 1_000)
    const before = pieces
    other!.write(ping(1))
    await other!.answerTo(1)
    expect(pieces - before).toBeLessThan(100)
  })
})

describe('a message on a pipe', () => {
  test('an MCP request with an id beyond 2^53 is answered with the same digits', async () => {
    const [client, ids] = [createClient(), ['9007199254740993', '-12345678901234567890', '9007199254740992']]
    const lines = ids.map((id) => JSON.stringify(ping(0)).replace('"id":0', `"id":${id}`))
    const long = `{"id":9007199254740995,"method":"m","params":{"a":"${'x'.repeat(2_000_000)}"}}`
    const asText = JSON.stringify(ping('9007199254740993'))
    client.send([JSON.stringify(HELLO), ...lines, asText, long, ''].join('\n'))
    await client.served
    const answered = client.texts.map((text) => /"id":([^,}]+)/.exec(text)?.[1])
    const expected = ['"hello"', '"9007199254740993"', '9007199254740995', ...ids]
    expect(new Set(answered)).toEqual(new Set(expected))
  })

  test('an MCP call with an id beyond 2^53 is cancelled by that id alone', async () => {
    const client = createClient()
    const withId = (message: object, id: string) =>
      JSON.stringify(message).replace(/(?<="(?:requestI|i)d":)99/, id)
    client.write(HELLO, withId(call(99), '9007199254740993'))
    await client.until(() => client.running.has('r99'))
    client.write(withId(cancel(99), '9007199254740992'), withId(call(99), '9007199254740993'))
    await client.until(() => client.texts.some((text) => text.includes('with this id waits')))
    client.write(withId(cancel(99), '9007199254740993'))
    client.end()
    await client.served
  })

  test.each([
    [
      'initialize',
      { protocolVersion: '2025-06-18', capabilities: {} },
      'initialize has invalid params.clientInfo: expected object, received undefined',
    ],
    ['tools/call', { name: 5 }, 'tools/call has invalid params.name: expected string, received number'],
    ['resources/read', undefined, 'resources/read has invalid params: expected object, received undefined'],
  ])(
    'an MCP request with invalid params is answered with a sentence: %s',
    async (method, params, message) => {
      const client = createClient()
      client.write(...(method === 'initialize' ? [] : [HELLO]), { ...ping(1), method, params })
      expect((await client.answerTo(1)).error).toEqual({ code: -32_602, message })
    },
  )

  test('an MCP message may have null in its optional fields', async () => {
    const client = createClient()
    client.write({ ...ping(1), params: null })
    expect(await client.answerTo(1)).toMatchObject({ result: {} })
    client.write({ ...ping(2), method: 'tools/list', params: { cursor: null, _meta: null } })
    expect(await client.answerTo(2)).toMatchObject({ result: { tools: expect.any(Array) as object[] } })
    const search = { words: 'tea', room: null }
    client.write({ ...ping(3), method: 'tools/call', params: { name: 'search', arguments: search } })
    await client.until(() => client.running.has('-'))
  })

  test.each([
    [
      'a call of the SDK for TypeScript',
      (text: string) => `{"method":"tools/call","params":{"id":7,"a":"${text}"},"id":"a"}`,
      'a',
    ],
    [
      'a call with its id in front',
      (text: string) => `{"jsonrpc":"2.0","id":5,"method":"m","params":{"a":"${text}"}}`,
      5,
    ],
    ['no JSON', (text: string) => text, null],
  ])('an MCP message over 1 MiB is rejected, and the next one is answered: %s', async (_what, line, id) => {
    const client = createClient()
    client.send(`${line('é'.repeat(2_500_000))}\n${JSON.stringify(ping(1))}\n`)
    await client.served
    expect(client.answers()).toMatchObject([
      { id, error: { message: expect.stringContaining('at most 1048576 bytes') as string } },
      { id: 1, result: {} },
    ])
  })

  test.each([1, 7, 65_536])(
    'an MCP message is read from chunks of %i bytes, with a BOM, blank lines and CRLF',
    async (size) => {
      const client = createClient()
      client.send(`\uFEFF${JSON.stringify(ping('é'))}\r\n\n\r\n${JSON.stringify(ping(2))}`, size)
      await client.served
      expect(client.answers().map(({ id }) => id)).toEqual(['é', 2])
    },
  )

  test.each([
    ['x', -32_700, null],
    ['42', -32_600, null],
    ['[]', -32_600, null],
    ['{"jsonrpc":"2.0","id":1,"method":7}', -32_600, null],
    ['{"id":"a","method":"ping","params":[1]}', -32_600, 'a'],
    [`{"jsonrpc":"2.0","id":4,"method":"m","params":{"a":[${'0,'.repeat(10_000)}0]}}`, -32_600, 4],
    [`{"jsonrpc":"2.0","id":3,"method":"m","params":${'{"a":'.repeat(64)}1${'}'.repeat(64)}}`, -32_600, 3],
  ])('an invalid MCP message is answered with an error: %s', async (line, code, id) => {
    const client = createClient()
    client.send(`${line}\n`)
    await client.served
    expect(client.answers()).toMatchObject([{ id, error: { code } }])
  })
})
