import { expect, test } from 'vitest'
import { createCommandQueue } from '../../../../src/adapters/sandbox/command-queue.ts'
import { createDeferred } from '../../../../src/lib/jobs/waiting.ts'

const never = new AbortController().signal

/** Commands that are at work until they are told to end. */
function commandsIn(memoryBytes: number) {
  const queue = createCommandQueue(memoryBytes)
  const atWork: { readonly room: string; readonly end: () => void }[] = []
  const start = (room: string, signal = never): Promise<void> =>
    queue(room, signal, () => {
      const ended = createDeferred<void>()
      atWork.push({ room, end: () => ended.resolve() })
      return ended.promise
    })
  return { start, atWork }
}

/** More than any machine has, so that as few run at once as may. */
const HUGE = 2 ** 60

test('a machine with little memory runs two commands at once, and the next when one has ended', async () => {
  const { start, atWork } = commandsIn(HUGE)
  const all = ['a', 'b', 'c'].map((room) => start(room))
  await expect.poll(() => atWork.map(({ room }) => room)).toEqual(['a', 'b'])
  atWork[0]?.end()
  await expect.poll(() => atWork.map(({ room }) => room)).toEqual(['a', 'b', 'c'])
  for (const { end } of atWork) end()
  await Promise.all(all)
})

test('a room with many commands leaves a place to others', async () => {
  const { start, atWork } = commandsIn(HUGE)
  const all = ['a', 'a', 'a', 'b'].map((room) => start(room))
  await expect.poll(() => atWork.map(({ room }) => room)).toEqual(['a', 'b'])
  for (let ended = 0; ended < all.length; ended++) {
    await expect.poll(() => atWork.length).toBeGreaterThan(ended)
    atWork[ended]?.end()
  }
  await Promise.all(all)
})

test('a command whose turn was stopped while it waited does not begin', async () => {
  const { start, atWork } = commandsIn(HUGE)
  const stop = new AbortController()
  const first = start('a')
  const second = expect(start('a', stop.signal)).rejects.toThrow('stopped')
  stop.abort(new Error('stopped'))
  await expect.poll(() => atWork.length).toBe(1)
  atWork[0]?.end()
  await Promise.all([first, second])
  expect(atWork).toHaveLength(1)
})
