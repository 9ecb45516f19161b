import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { createFlood } from '../../../../src/adapters/wire/flood.ts'
import { createStrangerNotes } from '../../../../src/adapters/wire/strangers.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

/** How many messages each line of the log tells of. */
function scene() {
  const told: object[] = []
  const notes = createStrangerNotes('NATS', { warn: (facts) => void told.push(facts) })
  const note = (count: number): void => {
    for (let message = 0; message < count; message++) notes.note()
  }
  return {
    told,
    notes,
    note,
    of: (...counts: number[]) => counts.map((messages) => ({ engine: 'NATS', messages })),
  }
}

test('the first stranger is told at once, and the others a minute later, though nobody comes any more', () => {
  const { told, note, of } = scene()
  note(1_000)
  expect(told).toEqual(of(1))
  vi.advanceTimersByTime(60_000)
  expect(told).toEqual(of(1, 999))
  vi.advanceTimersByTime(600_000)
  note(1)
  expect(told).toEqual(of(1, 999, 1))
  expect(vi.getTimerCount()).toBe(1)
})

test('those of the last minute are told at the end', () => {
  const { told, notes, note, of } = scene()
  note(3)
  notes[Symbol.dispose]()
  expect([told, vi.getTimerCount()]).toEqual([of(1, 2), 0])
})

test('a thousand unknown senders a second are looked at, and five thousand useless messages in a second are a flood', () => {
  let time = 5_000
  const flood = createFlood(() => time)
  const opened = (): number => Array.from({ length: 3_000 }, flood.mayOpen).filter(Boolean).length
  expect(opened()).toBe(1_000)
  time += 500
  expect(opened()).toBe(500)
  const floods = (): number => Array.from({ length: 5_000 }, flood.useless).filter(Boolean).length
  expect(floods()).toBe(0)
  time += 1_000
  expect([floods(), floods()]).toEqual([0, 5_000])
})
