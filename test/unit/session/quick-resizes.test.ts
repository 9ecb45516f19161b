import fc from 'fast-check'
import { expect, test } from 'vitest'
import { REPLY_MS } from '../../../src/app/room/board.ts'
import type { Entry, EntryId, RoomName, TurnId } from '../../../src/chat/entry.ts'
import { createScheduler } from '../../../src/lib/jobs/scheduler.ts'
import type { DrawingStyle } from '../../../src/session/drawing/theme.ts'
import { draftOf } from '../../../src/session/input/edit-commands.ts'
import { LiveView } from '../../../src/session/views/live-view.ts'
import { createReplies } from '../../../src/session/drawing/streamed-reply.ts'
import { createShared } from '../../../src/session/views/view.ts'
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

const sizes = fc.record({
  columns: fc.integer({ min: 25, max: 100 }),
  rows: fc.integer({ min: 8, max: 30 }),
})
const changes = fc.array(fc.record({ size: sizes, waitMs: fc.integer({ min: 150, max: 500 }) }), {
  minLength: 1,
  maxLength: 6,
})

test('however the window changes while a reply is written, each line of it can be read in the scrollback', async () => {
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
