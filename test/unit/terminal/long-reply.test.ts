import { expect, test } from 'vitest'
import stringWidth from 'string-width'
import { REPLY_MS, TICK_MS } from '../../../src/visits/board.ts'
import type { Entry, EntryId, RoomName, TurnId } from '../../../src/words/entry.ts'
import { createScheduler } from '../../../src/base/jobs/scheduler.ts'
import { chooseTheme, type DrawingStyle } from '../../../src/terminal/drawing/theme.ts'
import { draftOf } from '../../../src/terminal/input/edit-commands.ts'
import { LiveView } from '../../../src/terminal/views/live-view.ts'
import { createReplies } from '../../../src/terminal/drawing/streamed-reply.ts'
import { createShared } from '../../../src/terminal/views/view.ts'
import { memoryLog } from '../../support/chat-parts.ts'
import { longReply } from '../../support/long-reply.ts'
import { markdown } from '../../support/markdown-tools.ts'
import { allWords, wordsIn } from '../../support/numbered-markdown.ts'
import { personalAt } from '../../support/personal.ts'
import { handTimers } from '../../support/shared-by-sessions.ts'
import { createEmulator, createFakeTerminal } from '../../support/terminal.ts'

const room = 'lobby' as RoomName
const turn = 't1' as TurnId
const TOKEN_UNITS = 4
const TOKEN_MS = 5
const KEY_MS = 120
const TYPED = 'what somebody types meanwhile '

/** Three people in one room who type all the time while a model writes this text; an empty one is never begun. */
async function watch(text: string, columns: number) {
  const timers = handTimers()
  const shared = createShared(timers, { markdown, log: memoryLog(), clock: { now: () => 0 } })
  const replies = createReplies({ tools: markdown.tools, wallNow: () => 0 })
  let running = ''
  const people = Array.from({ length: 3 }, () => {
    const terminal = createFakeTerminal({ size: { columns, rows: 24 }, term: 'xterm-256color' })
    const emulator = createEmulator(columns, 24)
    const account = createScheduler(timers).open()
    const footer = ({ theme }: DrawingStyle) => ({
      replies: replies.now(),
      replyOf: replies.of,
      status: theme.status(`${running}lobby · 3 here`),
    })
    const fail = (error: unknown): never => {
      throw error
    }
    const personal = personalAt(terminal)
    const parts = {
      own: 'ann',
      personal,
      frames: shared.frames,
      account,
      drawEntry: shared.drawEntry,
      now: timers.now,
      fail,
    }
    return { terminal, emulator, view: new LiveView(terminal, footer, parts), seen: 0, typed: '' }
  })
  timers.advance(1_000)
  const begun = people.map(({ terminal }) => terminal.written().length)
  const refresh = (): void => people.forEach(({ view }) => view.refresh())
  const torn: string[] = []
  const longest = { rows: 0 }

  async function look(): Promise<void> {
    for (const one of people) {
      const written = one.terminal.written()
      await one.emulator.write(written.slice(one.seen))
      one.seen = written.length
      const screen = one.emulator.screen()
      if (screen.at(-1) !== `> ${one.typed}`.trimEnd()) torn.push(screen.at(-1) ?? '')
      longest.rows = Math.max(longest.rows, screen.length)
    }
  }

  const length = 12_000
  for (let at = 0; at < length; at += TOKEN_MS) {
    const from = (at / TOKEN_MS) * TOKEN_UNITS
    const piece = text.slice(from, from + TOKEN_UNITS)
    if (piece !== '') replies.add({ room, turn, model: 'qwen', text: piece })
    if (at % REPLY_MS === 0 && replies.flush()) refresh()
    if (at % TICK_MS === 0 && piece !== '') {
      running = `@qwen writing ${at / 1000}s · ^X to stop · `
      refresh()
    }
    if (at % KEY_MS === 0) {
      for (const one of people) {
        one.typed = one.typed.length > 30 ? '' : one.typed + (TYPED[one.typed.length % TYPED.length] ?? '')
        one.view.draft(draftOf(one.typed))
      }
    }
    timers.advance(TOKEN_MS)
    if (at % KEY_MS === 0) await look()
  }
  if (text !== '') {
    const entry = wholeReply(text)
    for (const { view } of people) view.entry(entry)
    replies.end(turn, entry)
  }
  running = ''
  refresh()
  timers.advance(1_000)
  await look()
  const bytes = people.map(({ terminal }, index) => Buffer.byteLength(terminal.written().slice(begun[index])))
  return { torn, bytes, longest, shown: people.map(({ emulator }) => emulator.all()) }
}

const wholeReply = (text: string): Entry => ({
  id: '1' as EntryId,
  at: 0,
  room,
  author: 'qwen',
  text,
  kind: 'reply',
  turn,
  outcome: 'done',
})

test.each([40, 120])(
  'a window of %i columns shows a fast reply without torn drafts, lost words or excess bytes',
  async (columns) => {
    const { text, words } = longReply()
    const quiet = await watch('', columns)
    const { torn, bytes, shown, longest } = await watch(text, columns)
    expect(torn).toEqual([])
    expect(longest.rows).toBe(24)
    for (const rows of shown) expect(wordsIn(rows.join('\n'))).toEqual(allWords(words))
    const added = bytes.map((count, index) => (count - (quiet.bytes[index] ?? 0)) / Buffer.byteLength(text))
    expect(Math.max(...added)).toBeLessThanOrEqual(2)
  },
)

test('a recorded reply that was not streamed is drawn with all its words', () => {
  const { text, words } = longReply()
  const entry = wholeReply(text)
  const shared = createShared(handTimers(), { markdown, log: memoryLog(), clock: { now: () => 0 } })
  const drawn = shared.drawEntry(entry, { columns: 79, theme: chooseTheme('xterm-256color', {}) })
  expect(wordsIn(drawn.text)).toEqual(allWords(words))
})

test('a very long old reply is drawn as Markdown at its beginning and as plain text after it', () => {
  const { text, words } = longReply()
  const long = `${text}\n\n`.repeat(10)
  const entry: Entry = {
    ...{ id: '1' as EntryId, at: 0, room, author: 'qwen', text: long },
    ...{ kind: 'reply', turn, outcome: 'done' },
  }
  const shared = createShared(handTimers(), { markdown, log: memoryLog(), clock: { now: () => 0 } })
  const { text: drawn } = shared.drawEntry(entry, { columns: 79, theme: chooseTheme('vt100', {}) })
  const [before = '', after = ''] = drawn.split('(it is long: what follows is shown as it was written)')
  expect(wordsIn(drawn)).toEqual(Array.from({ length: 10 }, () => allWords(words)).flat())
  expect(before).not.toContain('```')
  expect(after).toContain('```ts')
})

const delta = (text: string, thinking = false) => ({
  ...{ room: 'lobby' as RoomName, turn: 't1' as TurnId, model: 'qwen', text },
  ...(thinking ? { thinking: true as const } : {}),
})

const plain: DrawingStyle = { columns: 30, theme: chooseTheme('vt100', {}) }
const coloured: DrawingStyle = { columns: 30, theme: chooseTheme('xterm-256color', {}) }

const recorded: Entry = {
  ...{ id: '1' as EntryId, at: 0, room: 'lobby' as RoomName, author: 'qwen', text: 'They pass.' },
  ...{ kind: 'reply', turn: 't1' as TurnId, outcome: 'done' },
}

/** The replies of one room, and what a screen shows of them that nothing of was put above. */
function open() {
  const replies = createReplies({ tools: markdown.tools, wallNow: () => 0 })
  const rows = (style: DrawingStyle): readonly string[] => {
    replies.flush()
    return replies.now().flatMap((reply) => reply.live(0, style, false))
  }
  return { replies, rows }
}

/** The name has the model's tint. */
const saysTheyPass: unknown = expect.stringMatching(/^\u001B\[[\d;]+mqwen:\u001B\[0m They pass\.$/)

test('the thoughts of a model are one dim row with their end, until the model speaks', () => {
  const { replies, rows: rowsIn } = open()
  replies.add(delta('First I look at the', true))
  replies.add(delta(' files, and then at the tests', true))
  const [row, ...others] = rowsIn(plain)
  expect(others).toEqual([])
  expect(row).toMatch(/^qwen thinks: … .*tests$/)
  expect(stringWidth(row!)).toBeLessThanOrEqual(30)
  expect(rowsIn(coloured)).toEqual([coloured.theme.dim(row!)])
  replies.add(delta('They pass.'))
  expect(rowsIn(plain)).toEqual([saysTheyPass])
  replies.add(delta('\u001b[2Jagain', true))
  expect(rowsIn(plain)).toEqual([saysTheyPass, 'qwen thinks: … again'])
  replies.end('t1' as TurnId, recorded)
  expect(rowsIn(plain)).toEqual([])
})

test('a thought of any length takes one row at any width', () => {
  for (const columns of [1, 5, 14, 80]) {
    const { replies, rows: rowsIn } = open()
    replies.add(delta('漢字 '.repeat(2000), true))
    const rows = rowsIn({ ...plain, columns })
    expect(rows).toHaveLength(1)
    expect(stringWidth(rows[0]!)).toBeLessThanOrEqual(Math.max(2, columns))
  }
})
