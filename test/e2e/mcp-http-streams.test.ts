import { once } from 'node:events'
import { connect, createServer, type AddressInfo, type Socket } from 'node:net'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { INITIALIZE, openHttpAgent, postMcp } from '../support/mcp/http-agent.ts'
import type { AnyServer } from '../support/server.ts'
import { createStageHere, type Stage } from '../support/stage.ts'

let stage: Stage<AnyServer>
let base: string
beforeAll(async () => {
  stage = await createStageHere({
    isShared: true,
    config: '[limits]\nrate_burst = 1000\nrate_per_s = 1000\nrooms_per_person = 40\n',
    http: true,
  })
  base = stage.server.http
})
afterAll(() => stage[Symbol.asyncDispose]())

const tokenOf = async (name: string) => (await stage.as(name, ['token', 'new'])).stdout.trim()

/** Somebody's session, as bytes. */
async function openSession(name: string) {
  const token = await tokenOf(name)
  const params = { ...INITIALIZE.params, protocolVersion: '2025-11-25' }
  const opened = await postMcp(base, token, { ...INITIALIZE, params })
  const session = {
    'mcp-session-id': opened.headers.get('mcp-session-id')!,
    'mcp-protocol-version': '2025-11-25',
  }
  await opened.text()
  const post = (body: object) => postMcp(base, token, { jsonrpc: '2.0', ...body }, session)
  await post({ method: 'notifications/initialized' })
  return {
    call: (id: number, name: string, args: object) =>
      post({ id, method: 'tools/call', params: { name, arguments: args } }),
    /** The stream of all that happens, or what followed the event with this id. */
    async listen(lastEventId?: string) {
      const headers = {
        authorization: `Bearer ${token}`,
        accept: 'text/event-stream',
        ...session,
        ...(lastEventId === undefined ? {} : { 'last-event-id': lastEventId }),
      }
      return eventsOf(await fetch(`${base}/mcp`, { headers }))
    },
  }
}

/** The events of an answer, one after the other. */
function eventsOf(response: Response) {
  const reader = response.body!.pipeThrough(new TextDecoderStream()).getReader()
  let text = ''
  return {
    status: response.status,
    /** The text until this has come in it. */
    async until(part: string): Promise<string> {
      while (!text.includes(part)) {
        const { value, done } = await reader.read()
        if (done) throw new Error(`the stream ended before ${part}:\n${text}`)
        text += value
      }
      return text
    },
    /** As a connection breaks. */
    break: () => reader.cancel(),
  }
}

const lastId = (events: string): string => [...events.matchAll(/^id: (.*)$/gm)].at(-1)![1]!

test('a client whose stream broke comes back, and is told what it missed', async () => {
  const session = await openSession('bob')
  await (await session.call(2, 'join', { room: 'lobby' })).text()
  const first = await session.listen()
  await stage.as('alice', ['say', 'lobby', 'before'])
  const id = lastId(await first.until('before'))
  await first.break()
  await stage.as('alice', ['say', 'lobby', 'while you were away'])
  const second = await session.listen(id)
  await stage.as('alice', ['say', 'lobby', 'and now'])
  const heard = await second.until('and now')
  expect(heard).toContain('while you were away')
  expect(heard).not.toContain('before')
  await second.break()
})

test('one whose call lost its connection finds the answer', async () => {
  const session = await openSession('carl')
  const answer = eventsOf(await session.call(2, 'list_rooms', {}))
  const begun = await answer.until('id: ')
  await answer.break()
  const events = await session.listen(lastId(`${begun}\n`))
  expect(await events.until('"lobby')).toContain('"id":2')
})

test('what was written to the person alone is told on the stream of all that happens, and not on another', async () => {
  const session = await openSession('dora')
  const answer = await (await session.call(2, 'list_rooms', {})).text()
  await stage.as('alice', ['msg', 'dora', 'psst'])
  const other = await session.listen(lastId(answer))
  expect(other.status).toBe(200)
  const all = await session.listen()
  expect(await all.until('psst')).toContain('direct_message')
  await all.break()
})

test('who was taken out of a private room is not told again what was said there', async () => {
  const session = await openSession('hal')
  await stage.as('alice', ['create', 'den', '--private'])
  await stage.as('alice', ['invite', 'den', 'hal'])
  for (const [at, room] of ['den', 'lobby'].entries())
    await (await session.call(2 + at, 'join', { room })).text()
  const first = await session.listen()
  await stage.as('alice', ['say', 'lobby', 'for everybody'])
  await stage.as('alice', ['say', 'den', 'between us'])
  await first.until('between us')
  await first.break()
  const second = await session.listen('0._GET_stream')
  expect(await second.until('between us')).toContain('for everybody')
  await second.break()
  await stage.as('alice', ['uninvite', 'den', 'hal'])
  const third = await session.listen('0._GET_stream')
  await stage.as('alice', ['say', 'lobby', 'and now'])
  const told = await third.until('and now')
  expect(told).toContain('for everybody')
  expect(told).not.toContain('between us')
  expect(told).not.toContain('room://den')
  await third.break()
})

test('who was taken out of a private room does not get an answer again that tells of it', async () => {
  const session = await openSession('ida')
  await stage.as('alice', ['create', 'nook', '--private'])
  await stage.as('alice', ['invite', 'nook', 'ida'])
  await stage.as('alice', ['say', 'nook', 'just for two'])
  await (await session.call(2, 'join', { room: 'nook' })).text()
  await (await session.call(3, 'leave', { room: 'nook' })).text()
  const first = await (await session.call(4, 'history', { room: 'nook' })).text()
  expect(first).toContain('just for two')
  const id = /^id: (.*)$/m.exec(first)![1]!
  expect(await (await session.listen(id)).until('"id":4')).toContain('just for two')
  await stage.as('alice', ['uninvite', 'nook', 'ida'])
  const again = await (await session.listen(id)).until('"id":4')
  expect(again).toContain('you were taken out of a room meanwhile')
  expect(again).not.toContain('just for two')
})

test('an id of another session means nothing', async () => {
  const [mine, theirs] = await Promise.all([openSession('eve'), openSession('fay')])
  await (await theirs.call(2, 'join', { room: 'lobby' })).text()
  const stream = await theirs.listen()
  await stage.as('alice', ['say', 'lobby', 'for fay'])
  const id = lastId(await stream.until('for fay'))
  const guessed = await mine.listen(id.replace(/^\d+/, '0'))
  await stage.as('alice', ['msg', 'eve', 'for eve'])
  expect(await guessed.until('for eve')).not.toContain('for fay')
  await Promise.all([stream.break(), guessed.break()])
})

/** A way to the server that breaks when the test says so. */
async function openRelay() {
  const sockets = new Set<Socket>()
  const { hostname, port } = new URL(base)
  const relay = createServer((near) => {
    const far = connect(Number(port), hostname)
    for (const [from, to] of [
      [near, far],
      [far, near],
    ] as const) {
      sockets.add(from)
      from.pipe(to)
      from.on('error', () => to.destroy()).on('close', () => to.destroy())
    }
  })
  relay.listen(0, '127.0.0.1')
  await once(relay, 'listening')
  const breakAll = (): void => {
    for (const socket of sockets) socket.destroy()
    sockets.clear()
  }
  return {
    base: `http://127.0.0.1:${(relay.address() as AddressInfo).port}`,
    breakAll,
    [Symbol.dispose]() {
      breakAll()
      relay.close()
    },
  }
}

test("the protocol's own client goes on by itself when its connections break, and misses nothing", async () => {
  using relay = await openRelay()
  await using agent = await openHttpAgent(relay.base, await tokenOf('gus'))
  await agent.call('join', { room: 'lobby' })
  await stage.as('alice', ['say', 'lobby', 'first'])
  await agent.waitFor('first')
  relay.breakAll()
  await stage.as('alice', ['say', 'lobby', 'second'])
  await agent.waitFor('second')
  const texts = agent.heard.map((one) => JSON.stringify(one))
  for (const text of ['first', 'second']) expect(texts.filter((one) => one.includes(text))).toHaveLength(1)
})

test('a client of 2026-07-28 may listen for one room after the other, for more than it may follow at once', async () => {
  await using agent = await openHttpAgent(base, await tokenOf('frank'), { modern: true })
  for (let i = 0; i < 33; i++) {
    await agent.call('create_room', { room: `f${i}` })
    const stream = await agent.client.listen({ resourceSubscriptions: [`room://f${i}/log`] })
    await stage.as('alice', ['say', `f${i}`, 'news'])
    await agent.waitFor(`room://f${i}/log`)
    await stream.close()
  }
})
