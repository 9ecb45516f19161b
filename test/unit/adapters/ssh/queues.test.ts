import { expect, test } from 'vitest'
import { createQueues } from '../../../../src/adapters/ssh/queues.ts'

test('the longest queue is shed while all together hold too much, and an empty one never', () => {
  const queues = createQueues(() => 100)
  const shed: string[] = []
  const open = (name: string) => {
    let size = 0
    const grow = (bytes: number): void => {
      size += bytes
      queues.changed(queue, bytes)
    }
    const queue = {
      size: () => size,
      shed() {
        shed.push(name)
        grow(-size)
      },
    }
    return grow
  }
  const [a, b, c] = [open('a'), open('b'), open('c')]
  a(60)
  b(40)
  expect(shed).toEqual([])
  c(1)
  expect(shed).toEqual(['a'])
  b(-40)
  c(99)
  expect(shed).toEqual(['a'])
  a(200)
  expect(shed).toEqual(['a', 'a'])
})
