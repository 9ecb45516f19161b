import { expect, test } from 'vitest'
import { openStorage } from '../../../src/adapters/storage/open.ts'
import { openCommonClock } from '../../../src/cluster/common-clock.ts'
import { handClock, memoryLog } from '../../support/chat-parts.ts'
import { lacks } from '../../support/needs.ts'
import { createMigrated, postgresOptions } from '../../support/postgres/databases.ts'

const HOUR_MS = 3_600_000
const START = Date.UTC(2026, 0, 1)

/** The clocks of a machine and of a database, which can be set, as PostgreSQL's own cannot; a question takes so long there and so long back. */
function handClocks() {
  const machine = handClock(START)
  const took = { there: 0, back: 0 }
  let set = 0
  const now = (): number => START + set + machine.monotonic()
  return {
    machine,
    took,
    now,
    step: (ms: number): void => void (set += ms),
    database: {
      async now() {
        machine.advance(took.there)
        const answer = now()
        machine.advance(took.back)
        return answer
      },
    },
  }
}

test.skipIf(lacks('postgres'))('a server goes by PostgreSQL’s clock, whatever its own is', async () => {
  await using database = await createMigrated()
  await using storage = await openStorage(postgresOptions(database))
  const { common } = storage.cluster!
  const machine = {
    ...handClock(),
    now: () => Date.now() + HOUR_MS,
    monotonic: () => performance.now(),
  }
  const clock = await openCommonClock(machine, common, memoryLog())
  const before = await common.now()
  const now = clock.now()
  const after = await common.now()
  expect(Number.isInteger(now)).toBe(true)
  // A machine that is busy may take a moment for the question that it asked first.
  expect(now).toBeGreaterThan(before - 60_000)
  expect(now).toBeLessThan(after + 60_000)
})

test('the machine’s clock may be set; the time goes on', async () => {
  const { machine, database } = handClocks()
  const clock = await openCommonClock(machine, database, memoryLog())
  expect(clock.now()).toBe(START)
  machine.step(24 * HOUR_MS)
  machine.advance(1_000)
  expect(clock.now()).toBe(START + 1_000)
  await clock.follow()
  expect(clock.now()).toBe(START + 1_000)
})

test('the database’s clock is followed when it is set, and half of the round trip is taken off', async () => {
  const { machine, took, now, step, database } = handClocks()
  took.there = took.back = 40
  const clock = await openCommonClock(machine, database, memoryLog())
  expect(clock.now()).toBe(now())
  for (const ms of [HOUR_MS, -HOUR_MS, -HOUR_MS, 400]) {
    step(ms)
    await clock.follow()
    expect(clock.now()).toBe(now())
  }
})

test('it does not jump for what the network may have taken', async () => {
  const { machine, took, now, step, database } = handClocks()
  const clock = await openCommonClock(machine, database, memoryLog())
  took.back = 20_000
  await clock.follow()
  expect(clock.now()).toBe(now())
  took.back = 0
  step(200)
  await clock.follow()
  expect(clock.now()).toBe(now() - 200)
  step(51)
  await clock.follow()
  expect(clock.now()).toBe(now())
})

test('a wrong clock of the machine is said once, and so is that it is right again', async () => {
  const { machine, took, database } = handClocks()
  const log = memoryLog()
  machine.step(-HOUR_MS)
  const clock = await openCommonClock(machine, database, log)
  expect(clock.aheadMs()).toBe(-HOUR_MS)
  machine.step(4_000)
  expect(await clock.follow()).toBe(false)
  machine.step(HOUR_MS - 4_000)
  expect(await clock.follow()).toBe(true)
  expect(clock.aheadMs()).toBe(0)
  took.there = 20_000
  expect(await clock.follow()).toBe(false)
  expect(log.lines).toEqual([
    "the clock of this machine is wrong; the database's is used",
    'the clock of this machine is right again',
  ])
})
