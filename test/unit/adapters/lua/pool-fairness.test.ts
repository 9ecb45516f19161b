import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  attack,
  composeTwo,
  ENDLESS_PATTERN,
  failureOf,
  inRoom,
  nextEndless,
  openWatched,
  type WatchedPool,
} from '../../../support/pool.ts'

describe('the pool of wrap processes', () => {
  let pool: WatchedPool
  beforeAll(() => {
    pool = openWatched({ size: 2 })
  })
  afterAll(() => pool[Symbol.asyncDispose]())

  test('leaves a process to the others, however many rooms have cost one before, whatever succeeds in between', async () => {
    const rooms = ['now', 'then']
    const first = rooms.map((room) => attack(pool, room))
    for (const failure of first) {
      ;(await nextEndless(pool)).end()
      expect(await failure).toMatchObject({ reason: 'limit' })
    }
    for (const room of rooms) await composeTwo(pool, room)
    const again = rooms.map((room) => attack(pool, room))
    for (const failure of again) {
      const endless = await nextEndless(pool)
      await composeTwo(pool, 'peaceful')
      expect([...pool.watched.current]).toEqual([endless])
      endless.end()
      expect(await failure).toMatchObject({ reason: 'limit' })
    }
  })

  test('lets no room wait for the check of a script, nor a person who has cost a process take the rest', async () => {
    const check = () => failureOf(pool.check(ENDLESS_PATTERN, inRoom('lobby', undefined, 'mallory')))
    const checks = [check(), check()]
    for (const failure of checks) {
      const endless = await nextEndless(pool)
      await composeTwo(pool, 'lobby')
      expect([...pool.watched.current]).toEqual([endless])
      endless.end()
      expect(await failure).toMatchObject({ reason: 'limit' })
    }
    await composeTwo(pool, 'lobby')
  })
})
