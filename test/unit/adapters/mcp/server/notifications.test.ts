import { InMemoryTransport, type JSONRPCMessage } from '@modelcontextprotocol/server'
import { describe, expect, test } from 'vitest'
import { createMcpServer } from '../../../../../src/adapters/mcp/server/server.ts'
import type { Agent, AgentListener } from '../../../../../src/adapters/mcp/server/agent.ts'
import type { Entry, EntryId, RoomName } from '../../../../../src/chat/entry.ts'
import { createDeferred } from '../../../../../src/lib/jobs/waiting.ts'

/** A server for an agent that does nothing but hear, over a transport that sends when the test says so. */
async function createScene(era: 'legacy' | 'modern') {
  let listener: AgentListener | undefined
  const agent: Agent = {
    name: () => 'ann',
    run: async () => ({ ok: true, out: '', told: '' }),
    follow: async () => undefined,
    unfollow() {},
    sees: async () => true,
    readMessages: () => () => {},
    listen: (heard) => void (listener = heard),
    signal: new AbortController().signal,
  }
  const server = createMcpServer(agent, { version: '1', era })
  const [near, far] = InMemoryTransport.createLinkedPair()
  const sent: { method: string; params: { uri?: string; data?: unknown; level?: string } }[] = []
  let gate: Promise<void> = Promise.resolve()
  const send = near.send.bind(near)
  near.send = async (message: JSONRPCMessage) => {
    sent.push(message as never)
    await gate
    await send(message)
  }
  await server.connect(near)
  await far.start()
  return {
    server,
    sent,
    listener: listener!,
    close() {
      const { promise, resolve } = createDeferred<void>()
      gate = promise
      return () => {
        gate = Promise.resolve()
        resolve()
      }
    },
    ask,
    subscribe: (uri: string) => ask('resources/subscribe', { uri }),
  }

  async function ask(method: string, params: { readonly [key: string]: string }): Promise<void> {
    const answered = new Promise((resolve) => Object.assign(far, { onmessage: resolve }))
    await far.send({ jsonrpc: '2.0', id: 1, method, params })
    await answered
    sent.length = 0
  }
}

const said = (number: number, kind: 'message' | 'notice' = 'message'): Entry =>
  ({
    id: String(number) as EntryId,
    at: 0,
    room: 'den' as RoomName,
    kind,
    author: 'bob',
    text: `line ${number}`,
  }) as Entry

const settle = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

describe('what an agent is told', () => {
  test('waits for a client that reads slowly, up to a bound, and the client learns how much it missed', async () => {
    const { listener, sent, close } = await createScene('legacy')
    const open = close()
    for (let number = 0; number < 1_000; number++) listener.heard(said(number))
    await settle()
    expect(sent).toHaveLength(1)
    open()
    await settle()
    expect(sent.map(({ params }) => params.level)).toEqual([
      ...Array.from({ length: 257 }, () => 'info'),
      'warning',
    ])
    expect(sent.at(-1)!.params.data).toBe(
      '743 messages are skipped: this client reads too slowly; history has them',
    )
    listener.heard(said(1_000))
    await settle()
    expect(sent.at(-1)!.params.data).toMatchObject({ text: 'line 1000' })
  })

  test('tells a change once, however much changed before it could be sent', async () => {
    const { listener, sent, close, subscribe } = await createScene('legacy')
    await subscribe('room://den/log')
    const open = close()
    for (let number = 0; number < 1_000; number++) listener.changed(said(number))
    await settle()
    open()
    await settle()
    expect(sent.map(({ params }) => params.uri)).toEqual(['room://den/log', 'room://den/log'])
  })

  test('is only what it subscribed to; the room itself changes with notices and who is there', async () => {
    const { listener, sent, subscribe } = await createScene('legacy')
    listener.changed(said(1, 'notice'))
    await subscribe('room://den')
    listener.changed(said(2))
    listener.changed(said(3, 'notice'))
    await settle()
    expect(sent.map(({ params }) => params.uri)).toEqual(['room://den'])
    listener.putOut('den' as RoomName, { why: 'ann was put out', isFollowed: false })
    listener.changed(said(4, 'notice'))
    await settle()
    expect(sent.map(({ params }) => params.uri ?? params.data)).toEqual(['room://den', 'ann was put out'])
  })

  test('is a change for clients of the newest revision, whose log messages belong to requests', async () => {
    const { listener, sent } = await createScene('modern')
    listener.heard(said(1))
    listener.putOut('den' as RoomName, { why: 'ann was put out', isFollowed: false })
    await settle()
    expect(sent.map(({ method, params }) => [method, params.uri])).toEqual([
      ['notifications/resources/updated', 'room://den/log'],
      ['notifications/resources/updated', 'room://den'],
      ['notifications/resources/updated', 'room://den/log'],
    ])
  })

  test('goes on where it was put out of a room that it may still read', async () => {
    const { listener, sent, subscribe } = await createScene('legacy')
    await subscribe('room://den/log')
    listener.putOut('den' as RoomName, { why: 'ann was put out', isFollowed: true })
    listener.changed(said(1))
    await settle()
    const told = new Set(sent.map(({ params }) => params.uri ?? params.data))
    expect(told).toEqual(new Set(['ann was put out', 'room://den/log']))
  })

  test('is one change for each entry where a client of the newest revision is in the room and listens to it, too', async () => {
    const { listener, sent } = await createScene('modern')
    for (const number of [1, 2]) {
      const entry = said(number, 'notice')
      listener.heard(entry)
      listener.changed(entry)
      await settle()
      listener.changed(entry)
      await settle()
    }
    const uris = ['room://den', 'room://den/log']
    expect(sent.map(({ params }) => params.uri)).toEqual([...uris, ...uris])
  })

  test('is what is written to its person alone, which waits until it is sent and is not told to the writer', async () => {
    const { listener, sent, close } = await createScene('legacy')
    const open = close()
    let read = 0
    const from = { name: 'bob', guest: true }
    const message = { text: 'psst', from, at: 0 }
    listener.written(message, () => read++)
    listener.written({ ...message, isOwn: true }, () => read++)
    await settle()
    expect(read).toBe(0)
    open()
    await settle()
    expect(read).toBe(1)
    expect(sent.map(({ params }) => params)).toEqual([
      {
        level: 'notice',
        logger: 'sshawl',
        data: {
          at: '1970-01-01T00:00:00.000Z',
          kind: 'direct_message',
          author: 'bob',
          guest: true,
          text: 'psst',
        },
      },
    ])
  })

  test('is nothing below the level that the client set, and what is left out has not been read', async () => {
    const { listener, sent, ask } = await createScene('legacy')
    await ask('logging/setLevel', { level: 'warning' })
    let read = 0
    listener.written({ text: 'psst', from: { name: 'bob', guest: false }, at: 0 }, () => read++)
    listener.heard(said(1))
    listener.putOut('den' as RoomName, { why: 'ann was put out', isFollowed: false })
    await settle()
    expect(sent.map(({ params }) => params.data)).toEqual(['ann was put out'])
    expect(read).toBe(0)
  })

  test('ends quietly when the client is gone', async () => {
    const { listener, server } = await createScene('legacy')
    await server.close()
    listener.heard(said(1))
    listener.changed(said(2))
    await settle()
  })
})
