import { expect, test } from 'vitest'
import { createScheduler, SLICE_MS, type Account } from '../../../../src/base/jobs/scheduler.ts'

/** A scheduler in a time that only work takes. */
function start() {
  let now = 0
  const passes: (() => void)[] = []
  const done: string[] = []
  const scheduler = createScheduler({ now: () => now, soon: (run) => void passes.push(run) })
  const work = (name: string, ms: number) => () => {
    now += ms
    done.push(name)
    return name
  }
  return {
    done,
    passes: () => passes.length,
    open: () => scheduler.open(),
    work,
    /** An account that has just cost so much. */
    async spent(ms: number): Promise<Account> {
      const account = scheduler.open()
      const spent = account.run(() => void (now += ms))
      for (const run of passes.splice(0)) run()
      await spent
      return account
    },
    wait: (ms: number) => void (now += ms),
    /** One look at the event loop, and what it lets go on. */
    async pass() {
      for (const run of passes.splice(0)) run()
      await new Promise(setImmediate)
    },
  }
}

test('a caller with little work runs at once, without waiting for the event loop', async () => {
  const { open, work, passes } = start()
  const account = open()
  expect(await account.run(work('a', 1))).toBe('a')
  expect(await account.run(work('b', 1))).toBe('b')
  expect(passes()).toBe(0)
})

test('a pass of the event loop runs only one slice of work, in the order of requests', async () => {
  const { open, work, pass, done } = start()
  const all = Array.from({ length: 100 }, (_, i) => open().run(work(`${i}`, 1)))
  expect(done).toHaveLength(SLICE_MS)
  await pass()
  expect(done).toHaveLength(2 * SLICE_MS)
  while (done.length < 100) await pass()
  await Promise.all(all)
  expect(done.map(Number)).toEqual(done.map((_, i) => i))
})

test('expensive accounts run one job a pass, after all cheap accounts, the cheapest first', async () => {
  const { open, spent, work, pass, done } = start()
  const [dearest, dear] = [await spent(150), await spent(50)]
  const all = [
    dearest.run(work('dearest', 1)),
    dear.run(work('dear 1', 1)),
    dear.run(work('dear 2', 1)),
    open().run(work('cheap 1', 1)),
    open().run(work('cheap 2', 1)),
  ]
  expect(done).toEqual([])
  await pass()
  expect(done).toEqual(['cheap 1', 'cheap 2', 'dear 1'])
  await pass()
  expect(done.slice(3)).toEqual(['dear 2'])
  await pass()
  await Promise.all(all)
  expect(done.slice(4)).toEqual(['dearest'])
})

test('a flood of small jobs is slowed down after a few of them', async () => {
  const { open, work, pass, done } = start()
  const flood = open()
  const all = Array.from({ length: 50 }, (_, i) => flood.run(work(`flood ${i}`, 2)))
  await pass()
  await pass()
  const flooded = done.length
  const others = Array.from({ length: 3 }, (_, i) => open().run(work(`other ${i}`, 1)))
  for (let looks = 0; looks < 60; looks++) await pass()
  await Promise.all([...all, ...others])
  expect(flooded).toBeLessThan(10)
  expect(done).toHaveLength(53)
})

test('the cost of an account is forgotten after five seconds', async () => {
  const { spent, work, wait, pass, passes, done } = start()
  const account = await spent(10_000)
  const first = account.run(work('first', 1))
  expect(done).toEqual([])
  await pass()
  await first
  wait(5_000)
  await account.run(work('second', 1))
  expect([done, passes()]).toEqual([['first', 'second'], 0])
})

test('a job that throws rejects only for its caller, and its time counts', async () => {
  const { open, work, pass, passes } = start()
  const fail = () => {
    work('failed', SLICE_MS)()
    throw new Error('a bug')
  }
  await expect(open().run(fail)).rejects.toThrow('a bug')
  const [failed, next] = [open().run(fail), open().run(work('next', 1))]
  const outcome = expect(failed).rejects.toThrow('a bug')
  expect(passes()).toBe(1)
  for (let i = 0; i < 2; i++) await pass()
  await outcome
  expect(await next).toBe('next')
})

test('rest() delays its caller and later work until the next pass of the event loop', async () => {
  const { open, work, pass, done } = start()
  let isRested = false
  const rest = open()
    .rest()
    .then(() => (isRested = true))
  const after = open().run(work('after', 1))
  await Promise.resolve()
  expect([isRested, done.length]).toEqual([false, 0])
  await pass()
  await Promise.all([rest, after])
  expect([isRested, done.length]).toEqual([true, 1])
})

test('callers of restBefore() continue one a pass of the event loop, in their order', async () => {
  const { open, pass, work, done } = start()
  const rested: number[] = []
  const all = Array.from({ length: 5 }, (_, i) =>
    open()
      .restBefore(50)
      .then(() => rested.push(i)),
  )
  for (let looks = 1; looks <= 5; looks++) {
    const other = open().run(work(`other ${looks}`, 1))
    await pass()
    await other
    expect([rested.length, done.length]).toEqual([looks, looks])
  }
  await Promise.all(all)
  expect(rested).toEqual([0, 1, 2, 3, 4])
})

test('runLater() does not run work before the next pass of the event loop', async () => {
  const { open, work, pass, done } = start()
  const later = open().runLater(work('later', 1))
  expect(done).toEqual([])
  await pass()
  expect(await later).toBe('later')
})
