import { setImmediate as nextLook } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { InputQueue } from '../../../../src/adapters/ssh/input-queue.ts'
import { createScheduler } from '../../../../src/lib/jobs/scheduler.ts'

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

test('a small piece of somebody who cost little is fed at once', () => {
  const { log, open } = scene()
  open('a', 1).take(Buffer.alloc(100))
  expect(log).toEqual(['a 100'])
})

test('the rest of a large piece waits, and nothing more is read until it was fed', async () => {
  const { log, open } = scene()
  open('a', 1).take(Buffer.alloc(5_000))
  expect(log).toEqual(['a 2048', 'a paused'])
  for (let look = 0; look < 3; look++) await nextLook()
  expect(log.slice(2)).toEqual(['a 2048', 'a 904', 'a resumed'])
})

test('while much comes from one, what another sends is fed after one piece of the first', async () => {
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

test('nothing is fed or resumed once it is closed', async () => {
  const { log, open } = scene()
  const one = open('a', 1)
  one.take(Buffer.alloc(5_000))
  one.close()
  one.take(Buffer.alloc(1))
  await nextLook()
  expect(log).toEqual(['a 2048', 'a paused'])
})
