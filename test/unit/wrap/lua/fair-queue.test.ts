import { afterAll, beforeAll, expect, test } from 'vitest'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { FairQueue, Suspects } from '../../../../src/wrap/lua/fair-queue.ts'
import { type WorkLimits, watch } from '../../../../src/wrap/lua/watchdog.ts'

interface Job {
  readonly turn: string
  readonly payers: readonly string[]
  readonly number: number
}

const job = (turn: string, number: number, room = 'lobby'): Job => ({ turn, payers: [room, turn], number })
const queueOf = (...jobs: readonly Job[]) => {
  const queue = new FairQueue<Job>()
  for (const one of jobs) queue.add(one)
  return queue
}
const anybody = (): boolean => true

test('the fair queue serves one job of each person in turn, even if one person has jobs in many rooms', () => {
  const noisy = [job('noisy', 1, 'hall'), job('noisy', 2, 'attic'), job('noisy', 3, 'den')]
  const queue = queueOf(...noisy, job('quiet', 4, 'hall'), job('other', 5, 'hall'))
  const order = Array.from({ length: 6 }, () => queue.take(anybody)?.number)
  expect(order).toEqual([1, 4, 5, 2, 3, undefined])
})

test('the fair queue skips jobs that may not run now and keeps them queued', () => {
  const queue = queueOf(job('a', 1, 'hall'), job('a', 2, 'den'), job('b', 3, 'hall'))
  const notInHall = ({ payers }: Job): boolean => !payers.includes('hall')
  expect(queue.take(notInHall)?.number).toBe(2)
  expect(queue.take(notInHall)).toBeUndefined()
  expect(queue.all().map(({ number }) => number)).toEqual([3, 1])
})

test('the fair queue drops removed jobs and is empty after a drain', () => {
  const [first, second] = [job('a', 1), job('a', 2)]
  const queue = queueOf(first, second)
  queue.remove(first)
  queue.remove(job('a', 7))
  queue.remove(job('nobody', 1))
  expect(queue.drain()).toEqual([second])
  expect(queue.take(anybody)).toBeUndefined()
})

test('jobs of a person or a room that lost a process are suspect, and other jobs are not', () => {
  const suspects = new Suspects()
  suspects.add(job('mallory', 1, 'den'))
  expect(suspects.has(job('mallory', 2, 'attic'))).toBe(true)
  expect(suspects.has(job('ann', 3, 'den'))).toBe(true)
  expect(suspects.has(job('ann', 4, 'attic'))).toBe(false)
})

const HOUR_MS = 3_600_000
const processes = [1, 2].map(() => spawn(process.execPath, ['-e', 'for (;;);'], { stdio: 'ignore' }))
const [busy = -1, idle = -1] = processes.map(({ pid }) => pid)

beforeAll(() => process.kill(idle, 'SIGSTOP'))
afterAll(async () => {
  for (const child of processes) {
    child.kill('SIGKILL')
    await once(child, 'close')
  }
})

/** Resolves when a process is said to be over these limits: with the milliseconds that it took to say so. */
const isOver = (pid: number, limits: WorkLimits): Promise<number> => {
  const start = performance.now()
  return new Promise((resolve) => void watch(pid, limits, () => resolve(performance.now() - start)))
}

test('the watchdog reports a busy process over its CPU limit, but not an idle one', async () => {
  const limits = { cpuMs: 60, wallMs: HOUR_MS }
  const ended: string[] = []
  const stop = watch(idle, limits, () => ended.push('idle'))
  // A process on one processor cannot have used its time sooner.
  expect(await isOver(busy, limits)).toBeGreaterThanOrEqual(limits.cpuMs - 1)
  await isOver(busy, limits)
  stop()
  expect(ended).toEqual([])
})

test('the watchdog reports an idle process over its wall-clock limit', async () => {
  expect(await isOver(idle, { cpuMs: HOUR_MS, wallMs: 30 })).toBeGreaterThanOrEqual(29)
})

test('the watchdog uses only the wall-clock limit if the CPU time of a process cannot be read', async () => {
  expect(await isOver(-1, { cpuMs: 30, wallMs: 60 })).toBeGreaterThanOrEqual(59)
})

test('a stopped watchdog reports nothing', async () => {
  const said: string[] = []
  const stop = watch(busy, { cpuMs: 30, wallMs: 30 }, () => said.push('over'))
  stop()
  await isOver(busy, { cpuMs: 60, wallMs: HOUR_MS })
  expect(said).toEqual([])
})
