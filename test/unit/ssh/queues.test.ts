import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { setImmediate as nextLook } from 'node:timers/promises'
import { EventEmitter, once } from 'node:events'
import { type AddressInfo, type Socket, connect, createServer } from 'node:net'
import type { Connection } from 'ssh2'
import { SendQueues } from '../../../src/ssh/outbox.ts'
import { InputQueue, applyBackPressure } from '../../../src/ssh/input-queue.ts'
import { createScheduler } from '../../../src/base/jobs/scheduler.ts'
import { Answers, guardClient, socketOf } from '../../../src/ssh/ssh2/internals.ts'

test('the client with the longest send queue is dropped while all queues exceed the limit', () => {
  const queues = new SendQueues(() => 100)
  const dropped: string[] = []
  const open = (name: string) => {
    let size = 0
    const grow = (bytes: number): void => {
      size += bytes
      queues.changed(queue, bytes)
    }
    const queue = {
      size: () => size,
      dropClient() {
        dropped.push(name)
        grow(-size)
      },
    }
    return grow
  }
  const [a, b, c] = [open('a'), open('b'), open('c')]
  a(60)
  b(40)
  expect(dropped).toEqual([])
  c(1)
  expect(dropped).toEqual(['a'])
  b(-40)
  c(99)
  expect(dropped).toEqual(['a'])
  a(200)
  expect(dropped).toEqual(['a', 'a'])
})

/** Readers on a clock that stands still but while they are fed, which costs each of them so many ms. */
function scene() {
  let time = 0
  const scheduler = createScheduler({ now: () => time, soon: (run) => void setImmediate(run) })
  const log: string[] = []
  const open = (name: string, ms: number) =>
    new InputQueue(scheduler.open(), {
      feed(piece) {
        time += ms
        log.push(`${name} ${piece.length}`)
      },
      pause: () => void log.push(`${name} paused`),
      resume: () => void log.push(`${name} resumed`),
    })
  return { log, open }
}

test('a small piece of input from a client with low cost is fed at once', () => {
  const { log, open } = scene()
  open('a', 1).take(Buffer.alloc(100))
  expect(log).toEqual(['a 100'])
})

test('the rest of a large piece of input waits, and reading pauses until it was fed', async () => {
  const { log, open } = scene()
  open('a', 1).take(Buffer.alloc(5_000))
  expect(log).toEqual(['a 2048', 'a paused'])
  for (let look = 0; look < 3; look++) await nextLook()
  expect(log.slice(2)).toEqual(['a 2048', 'a 904', 'a resumed'])
})

test('input of another client is fed after one piece of a flooding client', async () => {
  const { log, open } = scene()
  const [flood, other] = [open('flood', 50), open('other', 1)]
  flood.take(Buffer.alloc(1))
  flood.take(Buffer.alloc(5_000))
  expect(log).toEqual(['flood 1', 'flood paused'])
  other.take(Buffer.alloc(10))
  for (let look = 0; look < 5; look++) await nextLook()
  expect(log.slice(2)).toEqual([
    'other paused',
    'other 10',
    'flood 2048',
    'other resumed',
    'flood 2048',
    'flood 904',
    'flood resumed',
  ])
})

test('nothing is fed or resumed after an input queue was closed', async () => {
  const { log, open } = scene()
  const one = open('a', 1)
  one.take(Buffer.alloc(5_000))
  one.close()
  one.take(Buffer.alloc(1))
  await nextLook()
  expect(log).toEqual(['a 2048', 'a paused'])
})

describe('back pressure', () => {
  let peer: Socket
  let ours: Socket
  const listener = createServer()

  beforeEach(async () => {
    listener.listen(0, '127.0.0.1')
    await once(listener, 'listening')
    peer = connect((listener.address() as AddressInfo).port, '127.0.0.1')
    ;[ours] = (await once(listener, 'connection')) as [Socket]
    applyBackPressure(ours)
  })
  afterEach(() => {
    peer.destroy()
    ours.destroy()
    listener.close()
  })

  test('reading from a peer pauses until the peer has read its answers', async () => {
    peer.pause()
    ours.write(Buffer.alloc(64 * 1024 * 1024))
    const paused = once(ours, 'pause')
    peer.write('one more question')
    await paused
    const resumed = once(ours, 'resume')
    peer.resume()
    await resumed
    const heard = once(ours, 'data')
    peer.write('again')
    expect(String((await heard)[0])).toBe('again')
  })

  test('reading from a peer never pauses while the peer reads its answers', async () => {
    peer.resume()
    for (let i = 0; i < 20; i++) {
      ours.write('answer')
      peer.write('question')
      await once(ours, 'data')
      expect(ours.isPaused()).toBe(false)
    }
  })
})

test('a callback runs on the reply to its own ping, and callbacks of one tick share a ping', async () => {
  let pings = 0
  const answers = new Answers(() => (pings += 1))
  const told: string[] = []
  answers.asked()
  for (const name of ['a', 'b']) answers.ask(() => told.push(name))
  await Promise.resolve()
  answers.ask(() => told.push('c'))
  await Promise.resolve()
  expect(pings).toBe(2)
  answers.answered()
  expect(told).toEqual([])
  answers.answered()
  expect(told).toEqual(['a', 'b'])
  answers.answered()
  answers.answered()
  expect(told).toEqual(['a', 'b', 'c'])
})

/** A client as a later ssh2 might make it: some of the parts that are guarded are elsewhere. */
function clientWithout(...moved: readonly string[]): Connection {
  const protocol: Record<string, unknown> = {
    _handlers: { CHANNEL_OPEN() {}, CHANNEL_DATA() {}, CHANNEL_WINDOW_ADJUST() {} },
    _packetRW: {},
    parse() {},
    ping() {},
  }
  const parts: Record<string, unknown> = { _sock: new EventEmitter(), _chanMgr: {}, _protocol: protocol }
  for (const name of moved) for (const holder of [parts, protocol]) delete holder[name]
  return Object.assign(new EventEmitter(), parts) as unknown as Connection
}

const guard = (client: Connection): void =>
  guardClient(client, { onFault: () => {}, onWindowGrown: () => {}, createInput: (parse) => parse })

test('a client of the installed ssh2 is guarded', () => {
  expect(() => guard(clientWithout())).not.toThrow()
})

test.each(['_sock', '_protocol', '_chanMgr', '_handlers', '_packetRW', 'parse'])(
  'a client without %s is rejected because its ssh2 cannot be guarded',
  (part) => {
    expect(() => guard(clientWithout(part))).toThrow('ssh2 has changed')
  },
)

test('a client without a socket is rejected', () => {
  expect(() => socketOf(clientWithout('_sock'))).toThrow('ssh2 has changed')
})
