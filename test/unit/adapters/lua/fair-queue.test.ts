import { describe, expect, test } from 'vitest'
import { FairQueue, Suspects } from '../../../../src/adapters/lua/fair-queue.ts'

interface Job {
  readonly turn: string
  readonly payers: readonly string[]
  readonly number: number
}

const job = (turn: string, number: number, room = 'lobby'): Job => ({ turn, payers: [room, turn], number })
const queueOf = (...jobs: readonly Job[]) => {
  const queue = new FairQueue<Job>()
  for (const one of jobs) queue.add(one)
  return queue
}
const anybody = (): boolean => true

describe('the fair queue', () => {
  test('serves people in turn, however many jobs one of them has, in whatever room', () => {
    const noisy = [job('noisy', 1, 'hall'), job('noisy', 2, 'attic'), job('noisy', 3, 'den')]
    const queue = queueOf(...noisy, job('quiet', 4, 'hall'), job('other', 5, 'hall'))
    const order = Array.from({ length: 6 }, () => queue.take(anybody)?.number)
    expect(order).toEqual([1, 4, 5, 2, 3, undefined])
  })

  test('passes over jobs that may not be served now', () => {
    const queue = queueOf(job('a', 1, 'hall'), job('a', 2, 'den'), job('b', 3, 'hall'))
    const notInHall = ({ payers }: Job): boolean => !payers.includes('hall')
    expect(queue.take(notInHall)?.number).toBe(2)
    expect(queue.take(notInHall)).toBeUndefined()
    expect(queue.all().map(({ number }) => number)).toEqual([3, 1])
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

test('the loss of a process makes its room and its person suspect, in other company too', () => {
  const suspects = new Suspects()
  suspects.add(job('mallory', 1, 'den'))
  expect(suspects.has(job('mallory', 2, 'attic'))).toBe(true)
  expect(suspects.has(job('ann', 3, 'den'))).toBe(true)
  expect(suspects.has(job('ann', 4, 'attic'))).toBe(false)
})
