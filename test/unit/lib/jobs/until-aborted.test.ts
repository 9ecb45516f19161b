import { expect, it } from 'vitest'
import { untilAborted } from '../../../../src/lib/jobs/waiting.ts'

/** Gives one item, and then nothing for ever; it heeds no signal. */
function deaf() {
  let returned = 0
  const source: AsyncIterable<string> = {
    [Symbol.asyncIterator]: () => {
      let given = 0
      return {
        next: () => (given++ === 0 ? Promise.resolve({ done: false, value: 'one' }) : new Promise(() => {})),
        return: () => {
          returned += 1
          return new Promise(() => {})
        },
      }
    },
  }
  return { source, returned: () => returned }
}

it('a source that heeds no signal is left at once with the reason of the signal, and told to end', async () => {
  const { source, returned } = deaf()
  const stop = new AbortController()
  const items = untilAborted(source, stop.signal)
  expect(await items.next()).toEqual({ done: false, value: 'one' })
  const waiting = items.next()
  stop.abort(new Error('stopped'))
  await expect(waiting).rejects.toThrow('stopped')
  expect(returned()).toBe(1)
})

it('nothing is read once the signal is aborted', async () => {
  const { source, returned } = deaf()
  await expect(untilAborted(source, AbortSignal.abort(new Error('late'))).next()).rejects.toThrow('late')
  expect(returned()).toBe(1)
})

it('all items of a source come through, and so does its error', async () => {
  async function* source() {
    yield 1
    yield 2
    throw new Error('broken')
  }
  const seen: number[] = []
  const reading = async (): Promise<void> => {
    for await (const item of untilAborted(source(), new AbortController().signal)) seen.push(item)
  }
  await expect(reading()).rejects.toThrow('broken')
  expect(seen).toEqual([1, 2])
})
