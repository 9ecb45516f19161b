import { expect, test } from 'vitest'
import { createCrowdingLog } from '../../../../../src/adapters/ssh/admission/crowding-log.ts'

test('each network is told of at once, and then once a minute, and no more than a thousand of them', () => {
  let time = 0
  const told: unknown[] = []
  const tell = createCrowdingLog({ warn: (facts) => void told.push(facts) }, () => time)
  for (const address of ['192.0.2.1', '192.0.2.1', '2001:db8::1', '2001:db8::2']) tell(address, 'why')
  expect(told).toEqual(['192.0.2.1', '2001:db8::1'].map((address) => ({ address, why: 'why' })))
  time = 30_000
  for (let number = 0; number < 2_000; number++) tell(`10.0.${number >> 8}.${number & 255}`, 'why')
  expect(told).toHaveLength(1_000)
  time = 60_000
  for (const address of ['192.0.2.1', '10.0.0.1']) tell(address, 'why')
  expect(told.slice(1_000)).toEqual([{ address: '192.0.2.1', why: 'why' }])
})
