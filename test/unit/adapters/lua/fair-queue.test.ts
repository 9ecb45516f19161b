import { describe, expect, test } from 'vitest'
import { createFairQueue } from '../../../../src/adapters/lua/fair-queue.ts'

const nobody = new Set<string>()

describe('the fair queue', () => {
  test('serves owners in turn, however many jobs one of them has', () => {
    const queue = createFairQueue<number>()
    for (const job of [1, 2, 3]) queue.add('noisy', job)
    queue.add('quiet', 4)
    queue.add('other', 5)
    const order = Array.from({ length: 6 }, () => queue.take(nobody)?.job)
    expect(order).toEqual([1, 4, 5, 2, 3, undefined])
  })

  test('passes over owners that are being served', () => {
    const queue = createFairQueue<number>()
    queue.add('a', 1)
    queue.add('b', 2)
    expect(queue.take(new Set(['a']))).toEqual({ owner: 'b', job: 2 })
    expect(queue.take(new Set(['a']))).toBeUndefined()
    expect(queue.waiting('a')).toBe(1)
  })

  test('forgets what is removed, and is empty after a drain', () => {
    const queue = createFairQueue<number>()
    queue.add('a', 1)
    queue.add('a', 2)
    queue.remove('a', 1)
    queue.remove('a', 7)
    queue.remove('nobody', 1)
    expect(queue.drain()).toEqual([2])
    expect(queue.take(nobody)).toBeUndefined()
  })
})
