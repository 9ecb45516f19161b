import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { watch, type WorkLimits } from '../../../../src/adapters/lua/watchdog.ts'

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

test('a process that works is over its limit of processor time when one that waits is not', async () => {
  const limits = { cpuMs: 60, wallMs: HOUR_MS }
  const ended: string[] = []
  const stop = watch(idle, limits, () => ended.push('idle'))
  // A process on one processor cannot have used its time sooner.
  expect(await isOver(busy, limits)).toBeGreaterThanOrEqual(limits.cpuMs - 1)
  await isOver(busy, limits)
  stop()
  expect(ended).toEqual([])
})

test('a process that waits is over its limit of real time', async () => {
  expect(await isOver(idle, { cpuMs: HOUR_MS, wallMs: 30 })).toBeGreaterThanOrEqual(29)
})

test('a process is watched by real time alone where its processor time cannot be read', async () => {
  expect(await isOver(-1, { cpuMs: 30, wallMs: 60 })).toBeGreaterThanOrEqual(59)
})

test('nothing is said once nobody watches any more', async () => {
  const said: string[] = []
  const stop = watch(busy, { cpuMs: 30, wallMs: 30 }, () => said.push('over'))
  stop()
  await isOver(busy, { cpuMs: 60, wallMs: HOUR_MS })
  expect(said).toEqual([])
})
