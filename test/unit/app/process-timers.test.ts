import { expect, test } from 'vitest'
import { pause } from '../../../src/app/process-timers.ts'

test('a pause ends by itself, and at once for whoever is gone', async () => {
  const gone = new AbortController()
  await pause(1, gone.signal)
  const waiting = pause(2 ** 30, gone.signal)
  gone.abort(new Error('the channel was closed'))
  await expect(waiting).resolves.toBeUndefined()
  await expect(pause(2 ** 30, gone.signal)).resolves.toBeUndefined()
})
