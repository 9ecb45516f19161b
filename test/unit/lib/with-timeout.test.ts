import { expect, test } from 'vitest'
import { withTimeout } from '../../../src/lib/with-timeout.ts'

const never = (): Promise<never> => new Promise(() => undefined)

test('a job that ends in time gives its value', async () => {
  await expect(withTimeout(60_000, () => Promise.resolve(7))).resolves.toBe(7)
})

test('a job that does not heed the signal is left at the time limit', async () => {
  await expect(withTimeout(1, never)).rejects.toMatchObject({ name: 'TimeoutError' })
})

test('the job learns of the time limit by its signal', async () => {
  let told: AbortSignal | undefined
  const job = (signal: AbortSignal): Promise<never> => ((told = signal), never())
  await expect(withTimeout(1, job)).rejects.toThrow('no end after 1 ms')
  expect(told?.aborted).toBe(true)
})

test('an outer signal ends the job with its own reason, before or during', async () => {
  await expect(withTimeout(60_000, never, AbortSignal.abort('early'))).rejects.toBe('early')
  const outer = new AbortController()
  const running = withTimeout(60_000, never, outer.signal)
  outer.abort('stopped')
  await expect(running).rejects.toBe('stopped')
})

test('a failing job rejects with its own error', async () => {
  await expect(withTimeout(60_000, () => Promise.reject(new Error('own')))).rejects.toThrow('own')
})
