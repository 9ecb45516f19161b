import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { DeadlineError, underDeadline } from '../../../../src/base/jobs/deadline.ts'
import { createDeferred, untilAborted } from '../../../../src/base/jobs/waiting.ts'
import { createSerial } from '../../../../src/base/jobs/serial.ts'

const never = <T>(): Promise<T> => new Promise(() => {})
const open = (): AbortSignal => new AbortController().signal

describe('a job under a deadline', () => {
  beforeEach(() => void vi.useFakeTimers())
  afterEach(() => void vi.useRealTimers())

  test('a job under a deadline gives its own result and leaves no timer', async () => {
    expect(await underDeadline(1000, open(), () => Promise.resolve(7))).toBe(7)
    expect(vi.getTimerCount()).toBe(0)
  })

  test('a job past its deadline is signalled and has three seconds to return a result', async () => {
    const job = underDeadline(
      1000,
      open(),
      (signal) =>
        new Promise<string>((resolve) =>
          signal.addEventListener('abort', () => setTimeout(() => resolve(String(signal.reason)), 2999)),
        ),
    )
    await vi.advanceTimersByTimeAsync(3999)
    expect(await job).toBe('DeadlineError: no end after 1000 ms')
    expect(vi.getTimerCount()).toBe(0)
  })

  test('a job that ignores its signal is rejected three seconds after the deadline', async () => {
    let signal: AbortSignal | undefined
    const job = underDeadline(1000, open(), (given) => {
      signal = given
      return never()
    })
    const seen = expect(job).rejects.toBeInstanceOf(DeadlineError)
    await vi.advanceTimersByTimeAsync(999)
    expect(signal!.aborted).toBe(false)
    await vi.advanceTimersByTimeAsync(1)
    expect(signal!.aborted).toBe(true)
    await vi.advanceTimersByTimeAsync(3000)
    await seen
  })

  test('a job is rejected with the reason of the outer signal', async () => {
    const outer = new AbortController()
    const reason = new Error('stopped')
    const job = underDeadline(1000, outer.signal, () => never())
    outer.abort(reason)
    await expect(job).rejects.toBe(reason)
    expect(vi.getTimerCount()).toBe(0)
  })

  test('a deadline does not count the time that a job waits for a person', async () => {
    let answer!: (value: string) => void
    const job = underDeadline(1000, open(), async (_signal, uncounted) => {
      await uncounted(() => new Promise<string>((resolve) => (answer = resolve)))
      return await never()
    })
    const seen = expect(job).rejects.toBeInstanceOf(DeadlineError)
    await vi.advanceTimersByTimeAsync(3_600_000)
    answer('yes')
    await vi.advanceTimersByTimeAsync(999)
    expect(vi.getTimerCount()).toBe(1)
    await vi.advanceTimersByTimeAsync(3001)
    await seen
  })

  test('a wait that ends after its job was stopped starts no timer', async () => {
    const outer = new AbortController()
    let answer!: () => void
    const job = underDeadline(1000, outer.signal, (_signal, uncounted) =>
      uncounted(() => new Promise<void>((resolve) => (answer = resolve))),
    )
    outer.abort(new Error('stopped'))
    await expect(job).rejects.toThrow('stopped')
    answer()
    await vi.advanceTimersByTimeAsync(0)
    expect(vi.getTimerCount()).toBe(0)
  })
})

test('a job begins only when the one before it has ended', async () => {
  const serial = createSerial()
  const gate = createDeferred<void>()
  const seen: string[] = []
  const first = serial(async () => {
    seen.push('first begins')
    await gate.promise
    seen.push('first ends')
  })
  const second = serial(() => void seen.push('second'))
  gate.resolve()
  await Promise.all([first, second])
  expect(seen).toEqual(['first begins', 'first ends', 'second'])
})

test('a job that fails rejects its own promise and the next one runs', async () => {
  const serial = createSerial()
  const failing = serial(() => {
    throw new Error('mine alone')
  })
  const next = serial(() => 'done')
  await expect(failing).rejects.toThrow('mine alone')
  await expect(next).resolves.toBe('done')
})

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

test('untilAborted rejects at once when the signal aborts, and closes an unresponsive source', async () => {
  const { source, returned } = deaf()
  const stop = new AbortController()
  const items = untilAborted(source, stop.signal)
  expect(await items.next()).toEqual({ done: false, value: 'one' })
  const waiting = items.next()
  stop.abort(new Error('stopped'))
  await expect(waiting).rejects.toThrow('stopped')
  expect(returned()).toBe(1)
})

test('untilAborted reads nothing if the signal is already aborted', async () => {
  const { source, returned } = deaf()
  await expect(untilAborted(source, AbortSignal.abort(new Error('late'))).next()).rejects.toThrow('late')
  expect(returned()).toBe(1)
})

test('untilAborted passes on all items and the error of a source', async () => {
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
