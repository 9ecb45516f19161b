import { describe, expect, test } from 'vitest'
import { createFairQueue } from '../../../../src/adapters/lua/fair-queue.ts'

interface Job {
  readonly owner: string
  readonly number: number
  readonly load?: number
}

const job = (owner: string, number: number, load = 0): Job => ({ owner, number, load })
const queueOf = (...jobs: readonly Job[]) => {
  const queue = createFairQueue<Job>(({ load = 0 }) => load)
  for (const one of jobs) queue.add(one)
  return queue
}
const anybody = (): boolean => true

describe('the fair queue', () => {
  test('serves owners in turn, however many jobs one of them has', () => {
    const queue = queueOf(job('noisy', 1), job('noisy', 2), job('noisy', 3), job('quiet', 4), job('other', 5))
    const order = Array.from({ length: 6 }, () => queue.take(anybody)?.number)
    expect(order).toEqual([1, 4, 5, 2, 3, undefined])
  })

  test('serves first who has spent least, also among the jobs of one owner', () => {
    const queue = queueOf(job('a', 1, 50), job('a', 2, 10), job('b', 3, 20), job('c', 4, 0))
    const order = Array.from({ length: 4 }, () => queue.take(anybody)?.number)
    expect(order).toEqual([4, 2, 3, 1])
  })

  test('passes over jobs that may not be served now', () => {
    const queue = queueOf(job('a', 1), job('b', 2))
    expect(queue.take(({ owner }) => owner !== 'a')).toEqual(job('b', 2))
    expect(queue.take(({ owner }) => owner !== 'a')).toBeUndefined()
    expect(queue.waiting('a')).toBe(1)
  })

  test('forgets what is removed, and is empty after a drain', () => {
    const [first, second] = [job('a', 1), job('a', 2)]
    const queue = queueOf(first, second)
    queue.remove(first)
    queue.remove(job('a', 7))
    queue.remove(job('nobody', 1))
    expect(queue.drain()).toEqual([second])
    expect(queue.take(anybody)).toBeUndefined()
  })
})
