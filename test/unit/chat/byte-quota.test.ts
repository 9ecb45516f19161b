import { expect, test } from 'vitest'
import { createByteQuota } from '../../../src/chat/limits.ts'
import type { Fingerprint, PersonId } from '../../../src/chat/people/person.ts'
import { handClock } from '../../support/chat-parts.ts'

const DAY_MS = 86_400_000

const personOf = (id: string, key = `key of ${id}`, network = '192.0.2.1') => ({
  id: id as PersonId,
  login: { key: key as Fingerprint, network },
})

test('a day’s bytes can be sent at once, and come back over a day', () => {
  const clock = handClock()
  const quota = createByteQuota({ bytes_per_person_day: 1_000 }, clock)
  const alice = personOf('alice')
  quota.take(alice, 1_000)
  expect(() => quota.take(alice, 100)).toThrow('(bytes_per_person_day, 1000); send less, or again in 2h 24m')
  clock.advance(DAY_MS / 10)
  quota.take(alice, 100)
  expect(() => quota.take(alice, 1)).toThrow('bytes_per_person_day')
})

test('all names of a key have one quota, and a network has that of 64 people', () => {
  const quota = createByteQuota({ bytes_per_person_day: 1_000 }, handClock())
  quota.take(personOf('alice', 'same'), 600)
  expect(() => quota.take(personOf('bob', 'same'), 600)).toThrow('bytes_per_person_day')
  for (let number = 0; number < 63; number++) quota.take(personOf(`p${number}`), 1_000)
  expect(() => quota.take(personOf('last'), 600)).toThrow('bytes_per_person_day')
  quota.take(personOf('elsewhere', 'other', '192.0.2.2'), 600)
})

test('0 is no limit', () => {
  createByteQuota({ bytes_per_person_day: 0 }, handClock()).take(personOf('alice'), 10 ** 12)
})
