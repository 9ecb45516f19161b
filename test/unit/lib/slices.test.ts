import { expect, test } from 'vitest'
import { createSlices, SLICE_MS } from '../../../src/lib/slices.ts'

/** Slices in a time that only work takes. */
function start() {
  let now = 0
  let passes: (() => void)[] = []
  const done: string[] = []
  const slices = createSlices({ now: () => now, soon: (run) => void passes.push(run) })
  return {
    done,
    passes: () => passes.length,
    slices,
    /** Work that takes a time. */
    work: (name: string, ms: number) => () => {
      now += ms
      done.push(name)
      return name
    },
    /** One look at the event loop, and what it lets go on. */
    async pass() {
      for (const run of passes.splice(0)) run()
      await new Promise(setImmediate)
    },
  }
}

test('who has little to do is never kept waiting, and no look at the event loop is asked for', async () => {
  const { slices, work, passes } = start()
  expect(await slices.turn(work('a', 1))).toBe('a')
  expect(await slices.turn(work('b', 1))).toBe('b')
  expect(passes()).toBe(0)
})

test('once a slice is used up the others wait for the event loop, and each has its turn after all before it', async () => {
  const { slices, work, pass, done } = start()
  const many = async (): Promise<void> => {
    for (let i = 0; i < 4; i++) await slices.turn(work(`many ${i}`, SLICE_MS))
  }
  const all = many()
  const one = slices.turn(work('one', 1))
  await Promise.resolve()
  expect(done).toEqual(['many 0'])
  await pass()
  expect(done).toEqual(['many 0', 'one', 'many 1'])
  for (let i = 0; i < 2; i++) await pass()
  await Promise.all([all, one])
  expect(done).toEqual(['many 0', 'one', 'many 1', 'many 2', 'many 3'])
})

test('between two looks at the event loop no more is done than fits into a slice, whoever asks', async () => {
  const { slices, work, pass, done } = start()
  const all = Array.from({ length: 100 }, (_, i) => slices.turn(work(`${i}`, 1)))
  expect(done).toHaveLength(SLICE_MS)
  await pass()
  expect(done).toHaveLength(2 * SLICE_MS)
  while (done.length < 100) await pass()
  await Promise.all(all)
  expect(done.map(Number)).toEqual(done.map((_, i) => i))
})

test('work that throws rejects its own turn only, and its time counts', async () => {
  const { slices, work, pass, passes } = start()
  const fail = () => {
    work('failed', SLICE_MS)()
    throw new Error('a bug')
  }
  await expect(slices.turn(fail)).rejects.toThrow('a bug')
  const [failed, next] = [slices.turn(fail), slices.turn(work('next', 1))]
  const outcome = expect(failed).rejects.toThrow('a bug')
  expect(passes()).toBe(1)
  for (let i = 0; i < 2; i++) await pass()
  await outcome
  expect(await next).toBe('next')
})

test('a rest lasts until the event loop was looked at, and keeps its place among those who wait', async () => {
  const { slices, work, pass, done } = start()
  let isRested = false
  const rest = slices.rest().then(() => (isRested = true))
  const after = slices.turn(work('after', 1))
  await Promise.resolve()
  expect([isRested, done.length]).toEqual([false, 0])
  await pass()
  await Promise.all([rest, after])
  expect([isRested, done.length]).toEqual([true, 1])
})
