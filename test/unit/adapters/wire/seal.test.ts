import { randomBytes } from 'node:crypto'
import { expect, test } from 'vitest'
import { createSeal, SEAL_BYTES, type BusSecret, type Opened } from '../../../../src/adapters/wire/seal.ts'

const MINUTE = 60_000

/** Servers of one database, whose time is what the test says. */
function servers() {
  const key = randomBytes(32)
  const time = { now: 1_700_000_000_000 }
  const another = (own: Partial<BusSecret> = {}) => createSeal({ key, now: () => time.now, ...own })
  return { time, another }
}

const TEXTS = ['', 'hello', '\0\u0001\ufeff漢字 👩‍🚀', 'x'.repeat(100_000)]

test.each(TEXTS)('a text is what it was when another server opens it (%#)', (text) => {
  const { another } = servers()
  const [here, there] = [another(), another()]
  const message = here.seal('room.den', text)
  expect(message.length).toBe(Buffer.byteLength(text) + SEAL_BYTES)
  expect(there.open('room.den', message)).toEqual({ text })
  expect(here.open('room.den', message)).toEqual({ text })
})

test('what is said stands nowhere in the message, and the same is never sealed alike', () => {
  const { another } = servers()
  const here = another()
  const [one, two] = [here.seal('room.den', 'the secret plan'), here.seal('room.den', 'the secret plan')]
  expect(one.includes('secret')).toBe(false)
  expect(one.subarray(24).equals(two.subarray(24))).toBe(false)
})

test('a message with any bit turned, cut anywhere, or longer, is of nobody who has the key', () => {
  const { another } = servers()
  const message = another().seal('room.den', 'hi')
  const there = another()
  for (let bit = 0; bit < message.length * 8; bit++) {
    const turned = Buffer.from(message)
    turned[bit >> 3]! ^= 1 << (bit & 7)
    expect(there.open('room.den', turned)).toBe('strange')
  }
  for (let length = 0; length < message.length; length++)
    expect(there.open('room.den', message.subarray(0, length))).toBe('strange')
  expect(there.open('room.den', Buffer.concat([message, Buffer.alloc(1)]))).toBe('strange')
  expect(there.open('room.den', message)).toEqual({ text: 'hi' })
})

test('a message of one room is none of another, and none of another database', () => {
  const { another } = servers()
  const message = another().seal('room.den', 'hi')
  expect(another().open('room.lobby', message)).toBe('strange')
  expect(another({ key: randomBytes(32) }).open('room.den', message)).toBe('strange')
})

test('a message that somebody sends once more is not opened again, and one that comes late neither', () => {
  const { another } = servers()
  const [here, there] = [another(), another()]
  const [first, second] = [here.seal('room.den', 'first'), here.seal('room.lobby', 'second')]
  expect(there.open('room.lobby', second)).toEqual({ text: 'second' })
  expect(there.open('room.lobby', second)).toBe('repeated')
  expect(there.open('room.den', first)).toBe('repeated')
})

test('a server that has just started opens nothing that was said before', () => {
  const { time, another } = servers()
  const here = another()
  const before = here.seal('room.den', 'before')
  time.now += 1
  const there = another()
  expect(there.open('room.den', before)).toBe('repeated')
  expect(there.open('room.den', here.seal('room.den', 'after'))).toEqual({ text: 'after' })
})

test('what is older than a minute is not opened, whoever said it', () => {
  const { time, another } = servers()
  const [here, there] = [another(), another()]
  const messages = ['one', 'two'].map((text) => here.seal('room.den', text)) as [Buffer, Buffer]
  time.now += MINUTE - 1
  expect(there.open('room.den', messages[0])).toEqual({ text: 'one' })
  time.now += 2
  expect(there.open('room.den', messages[1])).toBe('repeated')
})

test('a server that has forgotten a sender still opens nothing of it twice', () => {
  const { time, another } = servers()
  const [here, there] = [another(), another()]
  const message = here.seal('room.den', 'once')
  expect(there.open('room.den', message)).toEqual({ text: 'once' })
  time.now += 2 * MINUTE
  expect(there.open('room.den', another().seal('room.den', 'of another'))).toEqual({ text: 'of another' })
  expect(there.open('room.den', message)).toBe('repeated')
})

test('of a server whose machine slept nothing is opened until it has heard another one', () => {
  const { time, another } = servers()
  const sleeper = { now: time.now }
  const slept = another({ now: () => sleeper.now })
  const there = another()
  time.now += 60 * MINUTE
  sleeper.now += 10
  expect(there.open('room.den', slept.seal('room.den', 'late'))).toBe('repeated')
  expect(slept.open('room.den', there.seal('room.den', 'good morning'))).toEqual({ text: 'good morning' })
  // It goes on from there.
  for (let minute = 0; minute < 5; minute++) {
    time.now += MINUTE
    sleeper.now += MINUTE
    expect(there.open('room.den', slept.seal('room.den', `${minute}`))).toEqual({ text: `${minute}` })
  }
})

test('a server that seals faster than its clock counts uses no moment twice', () => {
  const { another } = servers()
  const [here, there] = [another(), another()]
  const opened: Opened[] = []
  for (let count = 0; count < 2_000; count++) opened.push(there.open('a', here.seal('a', `${count}`)))
  expect(opened).toEqual(Array.from({ length: 2_000 }, (_, count) => ({ text: `${count}` })))
})
