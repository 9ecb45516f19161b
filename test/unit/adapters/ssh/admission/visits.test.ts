import { expect, test } from 'vitest'
import { createVisits } from '../../../../../src/adapters/ssh/admission/visits.ts'

function scene() {
  let time = 0
  const visits = createVisits({ address_burst: 10, address_per_s: 2 }, () => time)
  return { visits, pass: (ms: number) => void (time += ms) }
}

const HOME = '192.0.2.1'

test('a burst of connections is served at once, and later ones at the pace that is allowed', () => {
  const { visits, pass } = scene()
  const delays = Array.from({ length: 12 }, () => visits.begin(HOME).delayMs)
  expect(delays).toEqual([...Array<number>(10).fill(0), 500, 1_000])
  expect(visits.begin('192.0.2.2').delayMs).toBe(0)
  pass(6_500)
  expect(visits.begin(HOME).delayMs).toBe(0)
})

test('a login that is used costs nothing, one that is not costs one, and a failure costs four', () => {
  const { visits } = scene()
  for (let login = 0; login < 100; login++) {
    expect(visits.begin(HOME).delayMs).toBe(0)
    visits.letIn(HOME)
    visits.used(HOME)
  }
  const idle = '192.0.2.2'
  for (let login = 0; login < 10; login++) {
    expect(visits.begin(idle).delayMs).toBe(0)
    visits.letIn(idle)
  }
  expect(visits.begin(idle).delayMs).toBe(500)
  const other = '2001:db8:0:1'
  for (let failure = 0; failure < 2; failure++) {
    visits.begin(other)
    visits.failed(other)
  }
  expect([1, 2, 3].map(() => visits.begin(other).delayMs)).toEqual([0, 0, 500])
})

test('nobody waits longer than five seconds, and nobody after some seconds of peace', () => {
  const { visits, pass } = scene()
  for (let failure = 0; failure < 1_000; failure++) visits.failed(HOME)
  expect(visits.begin(HOME).delayMs).toBe(5_000)
  pass(6_000)
  expect(visits.begin(HOME).delayMs).toBe(0)
})

test('the answers to wrong codes are late once a network has had a few, by five seconds at most', () => {
  const { visits, pass } = scene()
  expect(Array.from({ length: 4 }, () => visits.wrongCode(HOME))).toEqual([0, 5_000, 5_000, 5_000])
  expect(visits.wrongCode('192.0.2.2')).toBe(0)
  expect(visits.begin(HOME).delayMs).toBe(5_000)
  pass(10_000)
  expect(visits.begin(HOME).delayMs).toBe(0)
})
