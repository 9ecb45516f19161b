import { expect, test } from 'vitest'
import { createDeferred } from '../../../../src/lib/jobs/waiting.ts'
import { createSerial } from '../../../../src/lib/jobs/serial.ts'

test('a job begins only when the one before it has ended', async () => {
  const serial = createSerial()
  const gate = createDeferred<void>()
  const seen: string[] = []
  const first = serial(async () => {
    seen.push('first begins')
    await gate.promise
    seen.push('first ends')
  })
  const second = serial(() => void seen.push('second'))
  gate.resolve()
  await Promise.all([first, second])
  expect(seen).toEqual(['first begins', 'first ends', 'second'])
})

test('a job that fails rejects its own promise and the next one runs', async () => {
  const serial = createSerial()
  const failing = serial(() => {
    throw new Error('mine alone')
  })
  const next = serial(() => 'done')
  await expect(failing).rejects.toThrow('mine alone')
  await expect(next).resolves.toBe('done')
})
