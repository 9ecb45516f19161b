import { expect, test } from 'vitest'
import { createScheduler } from '../../../src/lib/jobs/scheduler.ts'
import { FRAME_MS, Frames, FrameWriter } from '../../../src/session/views/frames.ts'
import { handTimers } from '../../support/shared-by-sessions.ts'
import { createFakeTerminal } from '../../support/terminal.ts'

const neverFails = (error: unknown): never => {
  throw error
}

/** Writers of views that have nothing to show; `open` gives one more. */
function start(count: number) {
  const timers = handTimers()
  const frames = new Frames(timers)
  const scheduler = createScheduler(timers)
  const painted = Array.from({ length: count }, () => 0)
  function open(paint: () => void, fail: (error: unknown) => void = neverFails): FrameWriter {
    const compose = () => {
      paint()
      return { text: '', items: 0, written() {} }
    }
    return new FrameWriter(createFakeTerminal(), { frames, account: scheduler.open(), compose, fail })
  }
  const views = painted.map((_, i) => open(() => painted[i]!++))
  return { timers, painted, views, open }
}

test('a quiet view is painted in the next pass, once for all that was asked in this one', () => {
  const { timers, painted, views } = start(1)
  for (let i = 0; i < 3; i++) views[0]!.request()
  expect(painted).toEqual([0])
  timers.pass()
  expect(painted).toEqual([1])
  expect(timers.pending()).toBe(0)
})

test('views that change all the time are painted 30 times a second, with one timer for all of them', () => {
  const { timers, painted, views } = start(50)
  let mostTimers = 0
  for (let ms = 0; ms < 10_000; ms++) {
    for (const view of views) view.request()
    timers.pass()
    mostTimers = Math.max(mostTimers, timers.pending())
    timers.advance(1)
  }
  const frames = 10_000 / FRAME_MS
  for (const count of painted) {
    expect(count).toBeGreaterThan(frames * 0.9)
    expect(count).toBeLessThanOrEqual(frames + 10)
  }
  expect(mostTimers).toBe(1)
  timers.advance(FRAME_MS)
  expect(timers.pending()).toBe(0)
})

test('a frame comes 33 ms after the one before, and no sooner than half of that after the change', () => {
  const { timers, painted, views } = start(1)
  const request = (): void => {
    views[0]!.request()
    timers.pass()
  }
  for (let change = 0; change < 8; change++) request()
  expect(painted).toEqual([8])
  request()
  timers.advance(16)
  expect(painted).toEqual([8])
  timers.advance(1)
  timers.pass()
  expect(painted).toEqual([9])
  timers.advance(5)
  request()
  timers.advance(27)
  expect(painted).toEqual([9])
  timers.advance(1)
  timers.pass()
  expect(painted).toEqual([10])
})

test('twenty changes a second, unevenly spread, are each painted at once', () => {
  const { timers, painted, views } = start(1)
  for (let second = 0; second < 60; second++) {
    for (let i = 0; i < 20; i++) {
      views[0]!.request()
      timers.pass()
      timers.advance(i % 4 === 3 ? 170 : 10)
    }
  }
  expect(painted[0]).toBe(60 * 20)
})

test('changes that can wait are painted at once where they are few, and four times a second where they go on', () => {
  const { timers, painted, views } = start(1)
  for (let ms = 0; ms < 10_000; ms++) {
    views[0]!.requestCalmly()
    timers.pass()
    if (ms === 0) expect(painted).toEqual([1])
    timers.advance(1)
  }
  expect(painted[0]).toBeGreaterThanOrEqual(36)
  expect(painted[0]).toBeLessThanOrEqual(44)
})

test('the last change is painted, also one that can wait; what is painted for another has not to wait', () => {
  const { timers, painted, views } = start(1)
  for (let i = 0; i < 3; i++) {
    views[0]!.requestCalmly()
    timers.pass()
  }
  expect(painted).toEqual([2])
  timers.advance(250)
  timers.pass()
  expect(painted).toEqual([3])
  views[0]!.requestCalmly()
  views[0]!.request()
  timers.pass()
  expect(painted).toEqual([4])
  timers.advance(1_000)
  timers.pass()
  expect(painted).toEqual([4])
  expect(timers.pending()).toBe(0)
})

test('a view whose painting throws is given up, and the others are painted', () => {
  const { timers, open } = start(0)
  const errors: unknown[] = []
  let painted = 0
  const broken = open(
    () => {
      throw new Error('a bug')
    },
    (error) => void errors.push(error),
  )
  const whole = open(() => painted++)
  for (let i = 0; i < 3; i++) {
    broken.request()
    whole.request()
    timers.pass()
  }
  expect([errors.length, painted]).toEqual([1, 3])
})

test('a view is painted once more when it is closed, and then never, not even for what it asked before', () => {
  const { timers, painted, views } = start(1)
  views[0]!.request()
  views[0]!.close()
  expect(painted).toEqual([1])
  timers.pass()
  views[0]!.request()
  timers.advance(1_000)
  expect(painted).toEqual([1])
})
