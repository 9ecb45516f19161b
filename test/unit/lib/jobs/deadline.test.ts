import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { DeadlineError, underDeadline } from '../../../../src/lib/jobs/deadline.ts'

const never = <T>(): Promise<T> => new Promise(() => {})
const open = (): AbortSignal => new AbortController().signal

describe('a job under a deadline', () => {
  beforeEach(() => void vi.useFakeTimers())
  afterEach(() => void vi.useRealTimers())

  it('gives its own result and leaves no timer', async () => {
    expect(await underDeadline(1000, open(), () => Promise.resolve(7))).toBe(7)
    expect(vi.getTimerCount()).toBe(0)
  })

  it('is told of the deadline, and has three seconds to bring what it has', async () => {
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

  it('is given up three seconds after the deadline even if it does not heed its signal', async () => {
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

  it('is given up with the reason of the outer signal', async () => {
    const outer = new AbortController()
    const reason = new Error('stopped')
    const job = underDeadline(1000, outer.signal, () => never())
    outer.abort(reason)
    await expect(job).rejects.toBe(reason)
    expect(vi.getTimerCount()).toBe(0)
  })

  it('has only its own time counted, not what it waits for a person', async () => {
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

  it('starts no timer again when a wait outlives it', async () => {
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
