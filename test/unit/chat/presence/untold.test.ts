import { expect, test } from 'vitest'
import type { PresenceChange } from '../../../../src/chat/presence/held-presence.ts'
import { createUntold } from '../../../../src/chat/presence/untold.ts'

const joined = (name: string): PresenceChange => ({ name, event: 'joined' })
const left = (name: string): PresenceChange => ({ name, event: 'left' })

test('what could not be stored is given back in its order, and what fails again stays before what came since', () => {
  const untold = createUntold()
  for (const change of [joined('ann'), left('bob')]) untold.add(change)
  expect(untold.take()).toEqual([joined('ann'), left('bob')])
  untold.add(joined('cid'))
  expect(untold.take()).toEqual([])
  expect(untold.isEmpty()).toBe(false)
  untold.settle([left('bob')])
  expect(untold.take()).toEqual([left('bob'), joined('cid')])
  untold.settle([])
  expect(untold.isEmpty()).toBe(true)
})

test('of very many only those are kept who are not again where they were', () => {
  const untold = createUntold()
  untold.add(left('ann'))
  untold.add(joined('bob'))
  for (let time = 0; time < 50_000; time++) {
    untold.add(joined(`guest-${time}`))
    untold.add(left(`guest-${time}`))
  }
  const kept = untold.take()
  expect(kept.length).toBeLessThan(1_003)
  expect(kept.slice(0, 2)).toEqual([left('ann'), joined('bob')])
})

test('nobody who is here now is forgotten, however many they are', () => {
  const untold = createUntold()
  for (let person = 0; person < 3_000; person++) untold.add(joined(`u${person}`))
  expect(untold.take()).toHaveLength(3_000)
})
