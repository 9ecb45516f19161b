import { setImmediate as nextLook } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { createInputTurns } from '../../../../src/adapters/ssh/input-turns.ts'

/** Readers on a clock that stands still but while they are fed, which costs each of them so many ms. */
function scene() {
  let time = 0
  const turns = createInputTurns(() => time)
  const log: string[] = []
  const open = (name: string, ms: number) =>
    turns.open({
      feed(piece) {
        time += ms
        log.push(`${name} ${piece.length}`)
      },
      pause: () => void log.push(`${name} paused`),
      resume: () => void log.push(`${name} resumed`),
    })
  return { log, open, pass: (ms: number) => void (time += ms) }
}

test('a small piece of somebody who cost little is fed at once', () => {
  const { log, open } = scene()
  open('a', 1).take(Buffer.alloc(100))
  expect(log).toEqual(['a 100'])
})

test('the rest of a large piece waits, and nothing more is read until it was fed', async () => {
  const { log, open } = scene()
  open('a', 1).take(Buffer.alloc(5_000))
  expect(log).toEqual(['a 2048', 'a paused'])
  await nextLook()
  expect(log.slice(2)).toEqual(['a 2048'])
  await nextLook()
  expect(log.slice(3)).toEqual(['a 904', 'a resumed'])
})

test('who cost much waits for who cost little, and is served in turn with who cost as much', async () => {
  const { log, open } = scene()
  const [dear, cheap] = [open('dear', 50), open('cheap', 1)]
  dear.take(Buffer.alloc(1))
  dear.take(Buffer.alloc(3_000))
  cheap.take(Buffer.alloc(3_000))
  expect(log).toEqual(['dear 1', 'dear paused', 'cheap 2048', 'cheap paused'])
  for (let look = 0; look < 3; look++) await nextLook()
  expect(log.slice(4)).toEqual(['cheap 952', 'cheap resumed', 'dear 2048', 'dear 952', 'dear resumed'])
})

test('what somebody cost is forgotten after a while', () => {
  const { log, open, pass } = scene()
  const one = open('a', 50)
  one.take(Buffer.alloc(1))
  pass(10_000)
  one.take(Buffer.alloc(2))
  expect(log).toEqual(['a 1', 'a 2'])
})

test('nothing is fed or resumed once it is closed', async () => {
  const { log, open } = scene()
  const one = open('a', 1)
  one.take(Buffer.alloc(5_000))
  one.close()
  one.take(Buffer.alloc(1))
  await nextLook()
  expect(log).toEqual(['a 2048', 'a paused'])
})
