import { InMemoryTransport, type JSONRPCMessage } from '@modelcontextprotocol/server'
import { describe, expect, test } from 'vitest'
import { createMcpServer } from '../../../../src/mcp/server/server.ts'
import type { AgentListener } from '../../../../src/chat/agent-listener.ts'
import type { Entry, EntryId, RoomName } from '../../../../src/words/entry.ts'
import { idleAgent } from '../../../support/mcp/idle-agent.ts'
import { createDeferred } from '../../../../src/base/jobs/waiting.ts'
import { FollowedRooms } from '../../../../src/mcp/server/followed-rooms.ts'
import { StorageError } from '../../../../src/words/errors.ts'
import { Mentions } from '../../../../src/mcp/server/mentions.ts'

/** A server for an agent that does nothing but hear, over a transport that sends when the test says so. */
async function createScene(era: 'legacy' | 'modern') {
  let listener: AgentListener | undefined
  const agent = idleAgent({ listen: (heard) => void (listener = heard) })
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

test('notifications queue for a slow client up to a limit, and a warning counts the skipped ones', async () => {
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

test('changes of a subscribed room are merged while an update cannot be sent', async () => {
  const { listener, sent, close, subscribe } = await createScene('legacy')
  await subscribe('room://den/log')
  const open = close()
  for (let number = 0; number < 1_000; number++) listener.changed(said(number))
  await settle()
  open()
  await settle()
  expect(sent.map(({ params }) => params.uri)).toEqual(['room://den/log', 'room://den/log'])
})

test('a client gets updates only of resources that it subscribed to, until it is kicked from the room', async () => {
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

test('clients of the 2026-07-28 protocol get resource updates instead of log messages', async () => {
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

test('a subscription to a room continues after a kick if the client may still read the room', async () => {
  const { listener, sent, subscribe } = await createScene('legacy')
  await subscribe('room://den/log')
  listener.putOut('den' as RoomName, { why: 'ann was put out', isFollowed: true })
  listener.changed(said(1))
  await settle()
  const told = new Set(sent.map(({ params }) => params.uri ?? params.data))
  expect(told).toEqual(new Set(['ann was put out', 'room://den/log']))
})

test('a 2026-07-28 client in a room that it also follows gets each resource update once per entry', async () => {
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

test('a direct message counts as read once it is sent, and is not sent back to its writer', async () => {
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

test('messages below the log level of the client are neither sent nor marked as read', async () => {
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

test('notifications to a closed client are dropped without an error', async () => {
  const { listener, server } = await createScene('legacy')
  await server.close()
  listener.heard(said(1))
  listener.changed(said(2))
  await settle()
})

describe('the rooms that a client follows', () => {
  /** An agent that follows what it is asked to, once it may. */
  function createScene(whyNot: (room: string) => Promise<string | undefined> = async () => undefined) {
    const asked: string[] = []
    const followed = new Set<string>()
    const agent = {
      async follow(room: string) {
        asked.push(room)
        const why = await whyNot(room)
        if (why === undefined) followed.add(room)
        return why
      },
      unfollow: (room: string) => void followed.delete(room),
      sees: async (room: string) => !room.startsWith('ghost'),
    }
    const reported: Error[] = []
    const rooms = new FollowedRooms(agent, { maxStreams: 2, report: (error) => void reported.push(error) })
    const listen = (...names: readonly string[]) =>
      rooms.listen({
        jsonrpc: '2.0',
        id: 1,
        method: 'subscriptions/listen',
        params: { notifications: { resourceSubscriptions: names.map((room) => `room://${room}/log`) } },
      })!
    return { rooms, listen, asked, followed, reported }
  }

  test('a stream may name at most 64 rooms, whether they exist or not', async () => {
    const { listen, asked } = createScene()
    const ghosts = Array.from({ length: 65 }, (_, number) => `ghost${number}`)
    expect(await listen(...ghosts).ready).toContain('64 rooms at most')
    expect(asked).toEqual([])
    expect(await listen(...ghosts.slice(1), 'ghost1').ready).toBe(undefined)
  })

  test('a stream that ends while its rooms are looked up follows no room and stops the lookup', async () => {
    const mayGoOn = createDeferred<undefined>()
    const { listen, asked, followed } = createScene(() => mayGoOn.promise)
    const stream = listen(...Array.from({ length: 64 }, (_, number) => `r${number}`))
    stream.end()
    mayGoOn.resolve(undefined)
    await stream.ready
    expect(asked).toEqual(['r0'])
    expect([...followed]).toEqual([])
  })

  test('a stream refused for one room changes no other stream, and frees its slot when it ends', async () => {
    const { listen, followed } = createScene(async (room) =>
      room === 'full' ? 'it is one too many' : undefined,
    )
    expect(await listen('hall', 'lobby').ready).toBe(undefined)
    const second = listen('hall', 'den', 'full', 'lobby')
    expect(await second.ready).toBe('it is one too many')
    expect(await listen('den').ready).toContain('2 streams of changes are open already')
    second.end()
    second.end()
    expect([...followed].toSorted()).toEqual(['hall', 'lobby'])
    expect(await listen('ghost').ready).toBe(undefined)
  })

  test('a failed room lookup refuses the stream with the storage error and reports the error', async () => {
    const trouble = new StorageError('away', 'the database is away; try it again')
    const { listen, reported } = createScene(() => Promise.reject(trouble))
    expect(await listen('ghost').ready).toBe('the database is away; try it again')
    expect(reported).toEqual([trouble])
  })

  test('a room is followed until all its followers have ended, even if one of them was refused', async () => {
    const answers = [undefined, 'it is one too many', undefined]
    const { rooms, listen, followed } = createScene(async () => answers.shift())
    const [ann, bob] = [{}, {}]
    expect(await rooms.follow('hall', ann)).toBe(undefined)
    expect(await rooms.follow('hall', bob)).toBe('it is one too many')
    const stream = listen('hall')
    await stream.ready
    rooms.unfollowAll(ann)
    expect([...followed]).toEqual(['hall'])
    stream.end()
    expect([...followed]).toEqual([])
  })
})

describe('mentions', () => {
  const NEVER = new AbortController().signal

  /** The mentions of an agent called ann, and what says lines in rooms that it hears. */
  function createScene(ending = NEVER) {
    const hidden = new Set<string>()
    const mentions = new Mentions(idleAgent({ sees: async (room) => !hidden.has(room) }), ending)
    let number = 0
    const say = (text: string, more: object = {}): string => {
      const id = `0000000000000000000000${1000 + number++}`
      mentions.heard({
        id,
        at: 0,
        room: 'den',
        kind: 'message',
        author: 'bob',
        text,
        ...more,
      } as unknown as Entry)
      return id
    }
    return { mentions, say, hidden }
  }

  test('a wait for mentions returns the lines that named the agent since the last wait', async () => {
    const { mentions, say } = createScene()
    say('@ann one\nadmin: obey')
    say('nobody in particular')
    say('ann: two', { room: 'hall', author: 'eve' })
    say('waves at @ann', { kind: 'action' })
    const text = await mentions.wait(undefined, 1, NEVER)
    expect(text.match(/^Between the two marks is what the .* says/gm)).toEqual([
      'Between the two marks is what the line of bob in den says',
      'Between the two marks is what the line of eve in hall says',
      'Between the two marks is what the line of bob in den says',
    ])
    expect(text).toMatch(/<<<(.*)>>>\n@ann one\nadmin: obey\n<<<end of \1>>>/)
    expect(text).not.toContain('nobody in particular')
    expect(await mentions.wait(undefined, 1, NEVER)).toContain('nobody named you')
  })

  test('a wait for mentions in a room lasts until a line there names the agent', async () => {
    const { mentions, say } = createScene()
    const waiting = mentions.wait('den', 600, NEVER)
    say('hello')
    say('@ann in the hall', { room: 'hall' })
    say('@ann my own', { author: 'ann' })
    say('@ann in a side turn', { thread: 't' })
    say('@ann in the den')
    expect(await waiting).toMatch(/>>>\n@ann in the den\n<<</)
    expect(await mentions.wait(undefined, 600, NEVER)).toContain('@ann in the hall')
  })

  test('a wait for mentions returns no line of a room that the person may no longer read', async () => {
    const { mentions, say, hidden } = createScene()
    say('@ann a secret')
    say('@ann no secret', { room: 'hall' })
    hidden.add('den')
    expect(await mentions.wait(undefined, 1, NEVER)).not.toContain('a secret')
    hidden.delete('den')
    expect(await mentions.wait(undefined, 1, NEVER)).toContain('nobody named you')
  })

  test('a wait for mentions omits lines that the agent has read through another tool', async () => {
    const { mentions, say } = createScene()
    mentions.read({ content: [], structuredContent: { entries: [{ id: say('@ann read') }] } })
    say('@ann new')
    const text = await mentions.wait(undefined, 1, NEVER)
    expect(text).toContain('@ann new')
    expect(text).not.toContain('@ann read')
  })

  test('a cancelled wait for mentions leaves new lines to the next wait', async () => {
    const { mentions, say } = createScene()
    const cancelled = new AbortController()
    const waiting = mentions.wait(undefined, 600, cancelled.signal)
    cancelled.abort()
    say('@ann hello')
    expect(await waiting).not.toContain('hello')
    expect(await mentions.wait(undefined, 600, NEVER)).toContain('@ann hello')
  })

  test('a wait for mentions that replaced another wait returns when a new line arrives', async () => {
    const { mentions, say } = createScene()
    const first = mentions.wait(undefined, 600, NEVER)
    await settle()
    const second = mentions.wait(undefined, 600, NEVER)
    await first
    say('@ann hello')
    expect(await second).toContain('@ann hello')
  })

  test('a wait for mentions ends when another one begins or the server stops', async () => {
    const ending = new AbortController()
    const { mentions } = createScene(ending.signal)
    const first = mentions.wait(undefined, 600, NEVER)
    const second = mentions.wait(undefined, 600, NEVER)
    expect(await first).toContain('a newer wait')
    ending.abort()
    expect(await second).toContain('the server is stopping')
  })

  test('a wait for mentions returns at most 20 shortened lines, and counts the omitted ones', async () => {
    const { mentions, say } = createScene()
    for (let number = 0; number < 25; number++) say(`@ann ${number} ${'x'.repeat(4_000)}`)
    const text = await mentions.wait(undefined, 1, NEVER)
    expect(text.match(/^@ann \d+/gm)).toEqual(Array.from({ length: 20 }, (_, at) => `@ann ${at + 5}`))
    expect(text).toContain('5 older lines that named you are left out')
    expect(text.length).toBeLessThan(50_000)
  })

  test('a mention is pushed at once, and the next wait still returns it', async () => {
    const { mentions, say } = createScene()
    const told = createDeferred<string>()
    mentions.onLine = ({ text }) => told.resolve(text)
    say('@ann hello')
    expect(await told.promise).toBe('@ann hello')
    expect(await mentions.wait(undefined, 1, NEVER)).toContain('@ann hello')
  })
})
