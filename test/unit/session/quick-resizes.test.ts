import fc from 'fast-check'
import { expect, test } from 'vitest'
import { REPLY_MS } from '../../../src/app/room/board.ts'
import type { Entry, EntryId, RoomName, TurnId } from '../../../src/chat/entry.ts'
import { createScheduler } from '../../../src/lib/jobs/scheduler.ts'
import type { DrawingStyle } from '../../../src/session/drawing/theme.ts'
import { draftOf } from '../../../src/session/editing/draft.ts'
import { createLiveView } from '../../../src/session/live/live-view.ts'
import { createReplies } from '../../../src/session/replies/replies.ts'
import { createShared } from '../../../src/session/shared.ts'
import { memoryLog } from '../../support/chat-parts.ts'
import { markdown } from '../../support/markdown-tools.ts'
import { allWords, numberedWord, wordsIn } from '../../support/numbered-markdown.ts'
import { personalAt } from '../../support/personal.ts'
import { runs } from '../../support/runs.ts'
import { handTimers } from '../../support/shared-by-sessions.ts'
import { createEmulator, createFakeTerminal } from '../../support/terminal.ts'

const room = 'lobby' as RoomName
const turn = 't1' as TurnId
const STEP_MS = 5
const PARAGRAPH_MS = 60
/** So long something is written before a quiet time. */
const SPOKEN_MS = 300
const WORDS = 8
const DRAFT = 'my draft stays whole and is long enough to wrap at forty'

interface Size {
  readonly columns: number
  readonly rows: number
}

/** How long bytes take from one side to the other, and how often at most the client hears of a window that has changed. */
interface Delays {
  readonly wayMs: number
  readonly toldMs: number
}

/** A session whose bytes and answers take their time: the terminal changes before the server is told. */
function open(size: Size, { wayMs, toldMs }: Delays) {
  const timers = handTimers()
  const emulator = createEmulator(size.columns, size.rows, { reflowCursorLine: true })
  const carried = createFakeTerminal({ size, term: 'vt100' })
  const wire: { readonly at: number; readonly arrive: () => void | Promise<void> }[] = []
  const after = (ms: number, arrive: () => void | Promise<void>): void =>
    void wire.push({ at: timers.now() + ms, arrive })
  let now = size
  let isTelling = false
  /** The first change at once, and those that come soon after it together. */
  function tell(): void {
    const { columns, rows } = now
    const told = now
    isTelling = true
    after(wayMs, () => carried.resize(columns, rows))
    timers.later(toldMs, () => {
      isTelling = false
      if (now !== told) tell()
    })
  }
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
  const view = createLiveView(terminal, footer, {
    own: 'zoe',
    personal: personalAt(terminal, { timestamps: 'off' }),
    frames: shared.frames.of(createScheduler(timers).open()),
    drawEntry: shared.drawEntry,
    drawCall: shared.drawCall,
    redraw: shared.redraw,
    now: timers.now,
    fail,
  })
  return {
    emulator,
    replies,
    view,
    resize(to: Size) {
      emulator.resize(to.columns, to.rows)
      now = to
      if (!isTelling) tell()
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

const sizes = fc.record({
  columns: fc.integer({ min: 25, max: 100 }),
  rows: fc.integer({ min: 8, max: 30 }),
})
const changes = (waitMs: fc.Arbitrary<number>) =>
  fc.array(fc.record({ size: sizes, waitMs }), { minLength: 1, maxLength: 6 })

const slowly = changes(fc.integer({ min: 150, max: 500 }))
/** As a window changes that is dragged. */
const quickly = changes(fc.oneof(fc.integer({ min: 0, max: 40 }), fc.integer({ min: 0, max: 500 })))

const atOnce = fc.record({ wayMs: fc.integer({ min: 1, max: 60 }), toldMs: fc.constant(0) })
/** Behind a slow line, and in tmux, which tells of a window every 250 ms. */
const late = fc.record({ wayMs: fc.integer({ min: 1, max: 300 }), toldMs: fc.constantFrom(0, 250) })

/** In these a line was lost once: a row too many was erased, or one that was cut had left the window. */
const LOST: readonly [Size, { size: Size; waitMs: number }[], Delays][] = [
  [
    { columns: 27, rows: 8 },
    [
      { size: { columns: 25, rows: 8 }, waitMs: 1 },
      { size: { columns: 26, rows: 8 }, waitMs: 0 },
    ],
    { wayMs: 1, toldMs: 0 },
  ],
  [{ columns: 30, rows: 8 }, [{ size: { columns: 25, rows: 8 }, waitMs: 156 }], { wayMs: 241, toldMs: 0 }],
]

test.each([
  ['now and then, which is told at once', slowly, atOnce, 0],
  ['quickly, which is told at once', quickly, atOnce, 0],
  ['now and then, which is told late', slowly, late, 0],
  ['quickly, which is told late', quickly, late, 0],
  ['quickly, after a quiet time', quickly, late, 3_000],
])(
  'each line of a reply can be read in the scrollback where the window changes meanwhile: %s',
  async (_label, anyChanges, delays, quietMs) => {
    await fc.assert(
      fc.asyncProperty(sizes, anyChanges, delays, async (size, series, delay) => {
        const spokenMs = quietMs > 0 ? SPOKEN_MS : Infinity
        const session = open(size, delay)
        const restMs = 600 + 6 * (delay.wayMs + delay.toldMs)
        session.view.draft(draftOf(DRAFT))
        let [text, words, now, nextAt] = ['', 0, 0, quietMs]
        const due = series.map(({ size: to, waitMs }) => ({ to, at: (nextAt += waitMs) }))
        while (due.length > 0 || now < nextAt + restMs) {
          if (now % PARAGRAPH_MS === 0 && now < spokenMs) {
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
        for (let left = 0; left < restMs; left += STEP_MS) await session.step()
        // A row that was cut in its way to the terminal may stand there, too, so more is seen than was written.
        const seen = new Set(wordsIn(session.emulator.text()))
        expect(allWords(words).filter((word) => !seen.has(word))).toEqual([])
        const screen = session.emulator.screen().join('')
        expect(screen.replaceAll(/\s+/g, '').endsWith(`>${DRAFT.replaceAll(' ', '')}`)).toBe(true)
        session.view.close()
      }),
      { numRuns: runs(40), examples: [...LOST] },
    )
  },
)
