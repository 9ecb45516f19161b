import { expect, test } from 'vitest'
import { SendQueues } from '../../../../src/adapters/ssh/outbox.ts'

test('the client with the longest queue is dropped while all together hold too much, and one with an empty queue never', () => {
  const queues = new SendQueues(() => 100)
  const dropped: string[] = []
  const open = (name: string) => {
    let size = 0
    const grow = (bytes: number): void => {
      size += bytes
      queues.changed(queue, bytes)
    }
    const queue = {
      size: () => size,
      dropClient() {
        dropped.push(name)
        grow(-size)
      },
    }
    return grow
  }
  const [a, b, c] = [open('a'), open('b'), open('c')]
  a(60)
  b(40)
  expect(dropped).toEqual([])
  c(1)
  expect(dropped).toEqual(['a'])
  b(-40)
  c(99)
  expect(dropped).toEqual(['a'])
  a(200)
  expect(dropped).toEqual(['a', 'a'])
})
