import { expect, test } from 'vitest'
import { createSharedPresence } from '../../../src/cluster/elsewhere.ts'
import type { PresentRow } from '../../../src/cluster/ports.ts'
import type { ServerId } from '../../../src/cluster/server-id.ts'
import { alice, bob, lobby } from '../../contract/storage/cast.ts'
import { handClock, memoryLog } from '../../support/chat-parts.ts'

/** A server whose database says what `rows` has of the others. */
async function createServer() {
  const clock = handClock()
  const rows: PresentRow[] = []
  let again: (keys: readonly string[]) => Promise<void> = async () => undefined
  const presence = createSharedPresence(
    {
      present: { come: async () => true, go: async () => true, elsewhere: async () => rows },
      news: {
        on: (topic, listener) => {
          if (topic === 'present') again = listener as typeof again
        },
        begin: async () => undefined,
        caughtUp: () => undefined,
        [Symbol.asyncDispose]: async () => undefined,
      },
    },
    { clock, log: memoryLog(), takenForDead() {} },
  )
  await presence.begin()
  let told = 0
  const changeUntold = (...people: readonly (typeof alice)[]): void =>
    void rows.splice(
      0,
      rows.length,
      ...people.map((person) => ({ room: lobby, server: 's2' as ServerId, person })),
    )
  presence.watch(lobby, () => told++)
  return {
    clock,
    presence,
    told: () => told,
    changeUntold,
    async there(...people: readonly (typeof alice)[]) {
      changeUntold(...people)
      await again([alice, bob].map(({ id }) => `${id} ${lobby}`))
    },
  }
}

test('whoever goes, from here or from another server, may come back for ten seconds; whoever watches hears the end of them', async () => {
  const { clock, presence, told, there } = await createServer()
  await presence.came(lobby, alice)
  await there(bob)
  expect([alice, bob].map(({ id }) => presence.mayComeBack(lobby, id))).toEqual([false, false])
  await presence.went(lobby, alice)
  clock.advance(5_000)
  await there()
  const before = told()
  clock.advance(4_999)
  expect([alice, bob].map(({ id }) => presence.mayComeBack(lobby, id))).toEqual([true, true])
  clock.advance(1)
  expect([alice, bob].map(({ id }) => presence.mayComeBack(lobby, id))).toEqual([false, true])
  expect(told()).toBe(before + 1)
})

test('whoever comes and goes again has ten more seconds', async () => {
  const { clock, presence } = await createServer()
  await presence.went(lobby, alice)
  clock.advance(9_000)
  await presence.came(lobby, alice)
  await presence.went(lobby, alice)
  clock.advance(9_000)
  expect(presence.mayComeBack(lobby, alice.id)).toBe(true)
  clock.advance(1_000)
  expect(presence.mayComeBack(lobby, alice.id)).toBe(false)
})

test('who came and went without news of it is known once everything is read again', async () => {
  const { presence, told, there, changeUntold } = await createServer()
  await there(alice)
  changeUntold(bob)
  const before = told()
  await presence.readAll()
  expect(presence.peopleIn(lobby)).toEqual([bob])
  expect(presence.mayComeBack(lobby, alice.id)).toBe(true)
  expect(told()).toBeGreaterThan(before)
})
