import { expect, test } from 'vitest'
import { createByteQuota, createRateLimiter } from '../../../src/chat/limits.ts'
import { RemotePresence } from '../../../src/cluster/presence.ts'
import type { RoomName } from '../../../src/chat/entry.ts'
import type { Fingerprint } from '../../../src/chat/people/person.ts'
import type { PresentRow, ServerId } from '../../../src/cluster/stores.ts'
import { alice, bob, lobby } from '../../contract/storage/cast.ts'
import { handClock } from '../../support/chat-parts.ts'

/** A server whose database says what `rows` has of the others. */
async function createServer() {
  const clock = handClock()
  const rows: PresentRow[] = []
  let again: (keys: readonly string[] | 'all') => Promise<void> = async () => undefined
  let told = 0
  const presence = new RemotePresence({
    present: { come: async () => true, go: async () => true, elsewhere: async () => rows },
    changes: {
      on: (topic, listener) => {
        if (topic === 'present') again = listener as typeof again
      },
      begin: async () => undefined,
      readAll: async () => undefined,
      upToDate: () => undefined,
      [Symbol.asyncDispose]: async () => undefined,
    },
    clock,
    changed: () => void told++,
  })
  await again('all')
  const changeUntold = (...people: readonly (typeof alice)[]): void =>
    void rows.splice(
      0,
      rows.length,
      ...people.map((person) => ({ room: lobby, server: 's2' as ServerId, person })),
    )
  return {
    clock,
    presence,
    rows,
    told: () => told,
    changeUntold,
    readAll: () => again('all'),
    async there(...people: readonly (typeof alice)[]) {
      changeUntold(...people)
      await again([alice, bob].map(({ id }) => `${id} ${lobby}`))
    },
  }
}

test('whoever goes, from here or from another server, may come back for ten seconds; whoever watches hears the end of them', async () => {
  const { clock, presence, told, there } = await createServer()
  await there(bob)
  expect([alice, bob].map(({ id }) => presence.mayReturn(lobby, id))).toEqual([false, false])
  presence.departed(lobby, alice.id)
  clock.advance(5_000)
  await there()
  const before = told()
  clock.advance(4_999)
  expect([alice, bob].map(({ id }) => presence.mayReturn(lobby, id))).toEqual([true, true])
  clock.advance(1)
  expect([alice, bob].map(({ id }) => presence.mayReturn(lobby, id))).toEqual([false, true])
  expect(told()).toBe(before + 1)
})

test('somebody who leaves again has ten more seconds', async () => {
  const { clock, presence } = await createServer()
  presence.departed(lobby, alice.id)
  clock.advance(9_000)
  presence.departed(lobby, alice.id)
  clock.advance(9_000)
  expect(presence.mayReturn(lobby, alice.id)).toBe(true)
  clock.advance(1_000)
  expect(presence.mayReturn(lobby, alice.id)).toBe(false)
})

test('who came and went unheard is known once everything is read again', async () => {
  const { presence, told, there, readAll, changeUntold } = await createServer()
  await there(alice)
  changeUntold(bob)
  const before = told()
  await readAll()
  expect(presence.peopleIn(lobby)).toEqual([bob])
  expect(presence.mayReturn(lobby, alice.id)).toBe(true)
  expect(told()).toBeGreaterThan(before)
})

test('a person, a key and a network count once for each server that has them in a room', async () => {
  const { presence, readAll, rows } = await createServer()
  const login = { key: 'SHA256:k' as Fingerprint, network: '192.0.2.1' }
  const there = (server: string, room = lobby) => ({
    ...{ room, server: server as ServerId },
    person: { ...bob, login },
  })
  rows.push(there('s2'), there('s3'), there('s3', 'den' as RoomName))
  await readAll()
  const counts = (): readonly number[] =>
    [`person ${bob.id}`, 'key SHA256:k', 'network 192.0.2.1', `person ${alice.id}`].map((quotaKey) =>
      presence.serversOf(quotaKey),
    )
  expect(counts()).toEqual([3, 3, 3, 1])
  rows.splice(1, 1)
  await readAll()
  expect(counts()).toEqual([3, 3, 3, 1])
  rows.pop()
  await readAll()
  expect(counts()).toEqual([2, 2, 2, 1])
  rows.pop()
  await readAll()
  expect(counts()).toEqual([1, 1, 1, 1])
})

test('a server gives half of a pace and of the bytes of a day to somebody who is on another one, too', async () => {
  const { clock, presence, there } = await createServer()
  const serversOf = (quotaKey: string): number => presence.serversOf(quotaKey)
  const wait = (): Promise<never> => Promise.reject(new Error('too fast'))
  const limits = { rate_burst: 8, rate_per_s: 4, bytes_per_person_day: 1_000 }
  const pace = createRateLimiter({ limits, clock, wait, serversOf })
  const quota = createByteQuota(limits, clock, serversOf)
  await there(bob)
  const { signal } = new AbortController()
  for (let line = 0; line < 4; line++) await pace.next(bob, signal)
  await expect(pace.next(bob, signal)).rejects.toThrow('too fast')
  quota.take(bob, 500)
  expect(() => quota.take(bob, 1)).toThrow('bytes_per_person_day')
  for (let line = 0; line < 8; line++) await pace.next(alice, signal)
})
