import { expect, test } from 'vitest'
import fc from 'fast-check'
import { createScheduler } from '../../../src/base/jobs/scheduler.ts'
import { FRAME_MS, Frames, FrameWriter } from '../../../src/terminal/views/frames.ts'
import { handTimers } from '../../support/shared-by-sessions.ts'
import { createFakeTerminal, createEmulator } from '../../support/terminal.ts'
import { REPLY_MS } from '../../../src/visits/board.ts'
import type { Entry, EntryId, RoomName, TurnId } from '../../../src/words/entry.ts'
import type { DrawingStyle } from '../../../src/terminal/drawing/theme.ts'
import { draftOf } from '../../../src/terminal/input/edit-commands.ts'
import { LiveView } from '../../../src/terminal/views/live-view.ts'
import { createReplies } from '../../../src/terminal/drawing/streamed-reply.ts'
import { createShared } from '../../../src/terminal/views/view.ts'
import { memoryLog } from '../../support/chat-parts.ts'
import { markdown } from '../../support/markdown-tools.ts'
import { allWords, numberedWord, wordsIn } from '../../support/numbered-markdown.ts'
import { personalAt } from '../../support/personal.ts'
import { runs } from '../../support/runs.ts'

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

test('several requests of a quiet view in one pass lead to one paint in the next pass', () => {
  const { timers, painted, views } = start(1)
  for (let i = 0; i < 3; i++) views[0]!.request()
  expect(painted).toEqual([0])
  timers.pass()
  expect(painted).toEqual([1])
  expect(timers.pending()).toBe(0)
})

test('views that change constantly are painted 30 times a second with one shared timer', () => {
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

test('a frame is painted 33 ms after the previous one and at least 17 ms after its change', () => {
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

test('twenty irregular changes a second are each painted at once', () => {
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

test('low-priority changes are painted at once if rare, and four times a second if continuous', () => {
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

test('a delayed low-priority change is painted after 250 ms, or earlier with a normal change', () => {
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

test('a view that throws while painting is dropped, and other views are still painted', () => {
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

test('a closed view is painted one last time and never again', () => {
  const { timers, painted, views } = start(1)
  views[0]!.request()
  views[0]!.close()
  expect(painted).toEqual([1])
  timers.pass()
  views[0]!.request()
  timers.advance(1_000)
  expect(painted).toEqual([1])
})

const room = 'lobby' as RoomName
const turn = 't1' as TurnId
const STEP_MS = 5
const PARAGRAPH_MS = 60
const WORDS = 8
const DRAFT = 'my draft stays whole and is long enough to wrap at forty'

interface Size {
  readonly columns: number
  readonly rows: number
}

/** A session whose bytes and answers take their time: the terminal changes before the server is told. */
function open(size: Size, wayMs: number) {
  const timers = handTimers()
  const emulator = createEmulator(size.columns, size.rows, { reflowCursorLine: true })
  const carried = createFakeTerminal({ size, term: 'vt100' })
  const wire: { readonly at: number; readonly arrive: () => void | Promise<void> }[] = []
  const after = (ms: number, arrive: () => void | Promise<void>): void =>
    void wire.push({ at: timers.now() + ms, arrive })
  const terminal = {
    ...carried,
    write(text: string) {
      after(wayMs, () => emulator.write(text))
      return true
    },
    whenRead: (listener: () => void) => after(2 * wayMs, listener),
  }
  const shared = createShared(timers, { markdown, log: memoryLog(), clock: { now: () => 0 } })
  const replies = createReplies({ tools: markdown.tools, wallNow: () => 0 })
  const footer = ({ theme, columns }: DrawingStyle) => ({
    replies: replies.now(),
    replyOf: replies.of,
    status: theme.status('@qwen writing · ^X to stop · lobby'.slice(0, columns).padEnd(columns)),
  })
  const fail = (error: unknown): never => {
    throw error
  }
  const view = new LiveView(terminal, footer, {
    own: 'zoe',
    personal: personalAt(terminal, { timestamps: 'off' }),
    frames: shared.frames,
    account: createScheduler(timers).open(),
    drawEntry: shared.drawEntry,
    now: timers.now,
    fail,
  })
  terminal.onResize(() => view.resized())
  return {
    emulator,
    replies,
    view,
    resize(to: Size) {
      emulator.resize(to.columns, to.rows)
      after(wayMs, () => carried.resize(to.columns, to.rows))
    },
    async step() {
      timers.advance(STEP_MS)
      while (wire.some(({ at }) => at <= timers.now())) {
        const [due] = wire.splice(
          wire.findIndex(({ at }) => at <= timers.now()),
          1,
        )
        await due?.arrive()
        timers.pass()
      }
    },
  }
}

const sizes = fc.record({ columns: fc.integer({ min: 25, max: 100 }), rows: fc.integer({ min: 8, max: 30 }) })
const changes = fc.array(fc.record({ size: sizes, waitMs: fc.integer({ min: 150, max: 500 }) }), {
  minLength: 1,
  maxLength: 6,
})

test('every line of a streaming reply stays readable in the scrollback after any resizes', async () => {
  await fc.assert(
    fc.asyncProperty(sizes, changes, fc.integer({ min: 1, max: 60 }), async (size, series, wayMs) => {
      const session = open(size, wayMs)
      session.view.draft(draftOf(DRAFT))
      let [text, words, now, nextAt] = ['', 0, 0, 0]
      const due = series.map(({ size: to, waitMs }) => ({ to, at: (nextAt += waitMs) }))
      while (due.length > 0 || now < nextAt + 600) {
        if (now % PARAGRAPH_MS === 0) {
          const line = Array.from({ length: WORDS }, () => numberedWord(words++)).join(' ') + '\n\n'
          text += line
          session.replies.add({ room, turn, model: 'qwen', text: line })
        }
        if (now % REPLY_MS === 0 && session.replies.flush()) session.view.refresh()
        const [first] = due
        if (first && first.at <= now) session.resize(due.shift()?.to ?? size)
        await session.step()
        now += STEP_MS
      }
      const facts = { id: '1' as EntryId, at: 0, room, author: 'qwen', kind: 'reply', turn } as const
      const entry: Entry = { ...facts, text: text.trim(), outcome: 'done' }
      session.replies.end(turn, entry)
      session.view.entry(entry)
      for (let left = 0; left < 600; left += STEP_MS) await session.step()
      // A row that was cut in its way to the terminal may stand there, too, so more is seen than was written.
      const seen = new Set(wordsIn(session.emulator.text()))
      expect(allWords(words).filter((word) => !seen.has(word))).toEqual([])
      const screen = session.emulator.screen().join('')
      expect(screen.replaceAll(/\s+/g, '').endsWith(`>${DRAFT.replaceAll(' ', '')}`)).toBe(true)
      session.view.close()
    }),
    { numRuns: runs(200) },
  )
})
