import { expect, test } from 'vitest'
import { createTurnstile } from '../../../src/lib/turnstile.ts'

test('one caller passes at each look at the event loop, in the order of calling', async () => {
  const looks: (() => void)[] = []
  const pass = createTurnstile((run) => void looks.push(run))
  const passed: string[] = []
  const all = ['a', 'b', 'c'].map((name) => pass().then(() => passed.push(name)))
  const look = async (): Promise<void> => {
    looks.shift()?.()
    await Promise.resolve()
    await Promise.resolve()
  }
  expect([looks.length, passed]).toEqual([1, []])
  await look()
  expect(passed).toEqual(['a'])
  await look()
  expect(passed).toEqual(['a', 'b'])
  await look()
  await Promise.all(all)
  expect([looks.length, passed]).toEqual([0, ['a', 'b', 'c']])
  const late = pass()
  await look()
  await late
})
