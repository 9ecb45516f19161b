import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { Entry, EntryId, RoomName, TurnId } from '../../../src/words/entry.ts'
import { statusRow } from '../../../src/terminal/drawing/status-line.ts'
import { createReplies } from '../../../src/terminal/drawing/streamed-reply.ts'
import { markdown } from '../../support/markdown-tools.ts'
import { draftOf } from '../../../src/terminal/input/edit-commands.ts'
import { LiveView } from '../../../src/terminal/views/live-view.ts'
import type { SessionStatus } from '../../../src/terminal/ports.ts'
import { renderEntry, renderText } from '../../../src/terminal/drawing/entry-rows.ts'
import { createScheduler } from '../../../src/base/jobs/scheduler.ts'
import { createShared } from '../../../src/terminal/views/view.ts'
import { chooseTheme } from '../../../src/terminal/drawing/theme.ts'
import { status, work } from '../../support/session-host.ts'
import { handTimers } from '../../support/shared-by-sessions.ts'
import { cleanText } from '../../../src/base/text/clean-text.ts'
import { allWords, markdownPiece, type Piece, wordsIn } from '../../support/numbered-markdown.ts'
import { memoryLog } from '../../support/chat-parts.ts'
import { personalAt } from '../../support/personal.ts'
import { createEmulator, createFakeTerminal } from '../../support/terminal.ts'
import { runs } from '../../support/runs.ts'

const room = 'lobby' as RoomName
const theme = chooseTheme('vt100', {})
const messageOf = (text: string): Entry => ({
  id: '1' as EntryId,
  at: 0,
  room,
  author: 'bob',
  kind: 'message',
  text,
})

const replyOf = (turn: TurnId, text: string): Entry => ({
  ...{ id: turn as string as EntryId, at: 0, room, author: 'guide', text },
  ...{ kind: 'reply', turn, outcome: 'done' },
})

interface Size {
  readonly columns: number
  readonly rows: number
}

/** A live view at a terminal in memory, with the emulator that shows it, in a time that the test moves. */
function open(size: Size, options = {}) {
  const timers = handTimers()
  const account = createScheduler(timers).open()
  const terminal = createFakeTerminal({ size, term: 'vt100' })
  const emulator = createEmulator(size.columns, size.rows, options)
  const personal = personalAt(terminal, { timestamps: 'off' })
  const shared = createShared(timers, { markdown, log: memoryLog(), clock: { now: () => 0 } })
  const replies = createReplies({ tools: markdown.tools, wallNow: () => 0 })
  let now: SessionStatus = status
  let [turns, counted, written] = [0, 0, '']
  const turnNow = (): TurnId => `t${turns}` as TurnId
  let shown = 0
  const fail = (error: unknown): never => {
    throw error
  }
  const view = new LiveView(
    terminal,
    (style) => ({ replies: replies.now(), replyOf: replies.of, status: statusRow(now, style) }),
    {
      own: 'zoe',
      personal,
      frames: shared.frames,
      account,
      drawEntry: shared.drawEntry,
      now: timers.now,
      fail,
    },
  )

  terminal.onResize(() => view.resized())
  terminal.onDrain(() => view.drained())

  async function show(): Promise<void> {
    const written = terminal.written()
    await emulator.write(written.slice(shown))
    shown = written.length
  }

  return {
    terminal,
    emulator,
    timers,
    view,
    show,
    /** A model writes, with words of the next numbers. */
    stream({ text, words }: Piece) {
      const clean = cleanText(text(counted))
      counted += words
      written += clean
      replies.add({ room, turn: turnNow(), model: 'guide', text: clean })
      replies.flush()
      view.refresh()
    },
    /** The reply is recorded; of an empty one only that it is over. */
    endReply() {
      const entry = replyOf(turnNow(), written.trim())
      replies.end(turnNow(), entry)
      if (entry.text !== '') view.entry(entry)
      written = ''
      turns++
    },
    streamed: () => counted,
    setStatus(change: Partial<SessionStatus>) {
      now = { ...now, ...change }
      view.refresh()
    },
    /** After the frame that is due. */
    settle: () => timers.advance(1_000),
    async resize(to: Size) {
      await show()
      emulator.resize(to.columns, to.rows)
      terminal.resize(to.columns, to.rows)
    },
  }
}

type Opened = ReturnType<typeof open>

/** Something that happens in a session, and the rows that it leaves above in a window of so many columns. */
interface Action {
  readonly name: string
  run(session: Opened): void | Promise<void>
  readonly leaves?: (columns: number, follows: boolean) => string
}

const words = fc
  .array(fc.constantFrom('word', 'longer-word', '日本語', '👩‍👩‍👧', 'кириллица', '\n', 'a\tb', '\u001b[2J'), {
    maxLength: 40,
  })
  .map((parts) => parts.join(' '))

const drawnMessage = (text: string) => (columns: number, follows: boolean) =>
  renderEntry(messageOf(text), { columns: columns - 1, theme }, markdown.tools(), { follows })

/** A row of a message, with its speaker's name or where the name stands above. */
const OF_A_MESSAGE = /^(bob: |· )?</

const drawnPrint = (text: string) => (columns: number) => renderText(text, { columns: columns - 1, theme })

const action: fc.Arbitrary<Action> = fc.oneof(
  words.map((text): Action => ({ name: 'draft', run: ({ view }) => view.draft(draftOf(text)) })),
  fc.tuple(words, fc.nat(200)).map(([text, at]): Action => {
    const cursor = Math.min(at, text.length)
    return { name: 'draft', run: ({ view }) => view.draft({ text, cursor }) }
  }),
  words.map((text): Action => {
    const run = ({ view }: Opened) => view.entry(messageOf(`<${text}`))
    return { name: 'message', run, leaves: drawnMessage(`<${text}`) }
  }),
  words.map((text): Action => {
    const run = ({ view }: Opened) => view.print(`<${text}`)
    return { name: 'print', run, leaves: drawnPrint(`<${text}`) }
  }),
  {
    weight: 4,
    arbitrary: markdownPiece.map((piece): Action => ({
      name: 'stream',
      run: (session) => session.stream(piece),
    })),
  },
  fc.constant<Action>({ name: 'reply', run: (session) => session.endReply() }),
  fc.nat(12).map((people): Action => ({
    name: 'status',
    run: (session) => session.setStatus({ people: 1 + people }),
  })),
  fc.constantFrom('', 'Grep').map((tool): Action => {
    return {
      name: 'status',
      run: (session) => session.setStatus({ running: tool ? [work('bob', tool)] : [] }),
    }
  }),
  fc.nat(60).map((ms): Action => ({ name: 'time', run: ({ timers }) => timers.advance(ms) })),
  fc.constant<Action>({ name: 'pass', run: ({ timers }) => timers.pass() }),
  fc.tuple(fc.integer({ min: 1, max: 5 }), fc.nat(5)).map(([before, after]): Action => {
    const count = before + after
    return {
      name: 'stall',
      run({ terminal, timers, view }) {
        timers.advance(1_000)
        terminal.setFull(true)
        for (let i = 0; i < count; i++) {
          view.entry(messageOf('lost'))
          if (i === before - 1) timers.advance(1_000)
        }
        terminal.setFull(false)
      },
      leaves: drawnPrint(`[${count} ${count === 1 ? 'message' : 'messages'} skipped]`),
    }
  }),
)

const sizesFrom = (rows: number) =>
  fc.record({ columns: fc.integer({ min: 40, max: 90 }), rows: fc.integer({ min: rows, max: 30 }) })
const sizes = sizesFrom(4)

/**
 * From 90 columns to 40 the terminal breaks a status line into three rows. With the draft that is four: in a lower window
 * the head of the line is scrolled away before the server hears of the change, and nobody can take that back.
 */
const sizesToNarrow = sizesFrom(6)

const plainRows = (text: string): string[] =>
  text
    .replace(/\u001b\[[\d;]*m/g, '')
    .split('\n')
    .map((row) => row.trimEnd())

/** The rows without these texts, which stand among them one below the other, each as a whole in one of its ways. */
function without(texts: readonly (readonly string[][])[], rows: readonly string[]): readonly string[] {
  const others: string[] = []
  let at = 0
  for (const ways of texts) {
    const standsAt = (row: number) => ways.find((way) => way.every((one, index) => rows[row + index] === one))
    const found = rows.findIndex((_, row) => row >= at && standsAt(row) !== undefined)
    expect(found, ways.join('\n')).toBeGreaterThanOrEqual(0)
    others.push(...rows.slice(at, found))
    at = found + (standsAt(found)?.length ?? 0)
  }
  return [...others, ...rows.slice(at)]
}

test('every message appears once, in order, above the draft after random events', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(action, { maxLength: 40 }), sizes, async (actions, size) => {
      const session = open(size)
      const { view, emulator } = session
      for (const { run } of actions) await run(session)
      session.endReply()
      session.setStatus({ people: 3, running: [] })
      view.draft(draftOf('the end'))
      session.settle()
      await session.show()
      const said = actions.flatMap(({ leaves }) =>
        // Whether the name stands above depends on what of a reply came between.
        leaves ? [[false, true].map((follows) => plainRows(leaves(size.columns, follows)))] : [],
      )
      const all = emulator.all()
      const others = without(said, all.slice(0, -2))
      expect(wordsIn(others.join('\n'))).toEqual(allWords(session.streamed()))
      if (session.streamed() === 0)
        expect(others.filter((row) => !/^(?:guide|$| |(?:--|──) (?:code|end))/.test(row))).toEqual([])
      expect(all.at(-2)).toMatch(/^lobby · 3 here/)
      expect(all.at(-1)).toBe('> the end')
      expect(emulator.cursor().column).toBe('> the end'.length)
      view.close()
    }),
    { numRuns: runs(300) },
  )
})

test('the screen after random resizes and clears equals one that is drawn anew', async () => {
  const change = fc.oneof(
    { weight: 4, arbitrary: action.filter(({ name }) => name !== 'stall' && name !== 'draft') },
    sizesToNarrow.map((size): Action => ({ name: 'resize', run: (session) => session.resize(size) })),
    fc.constant<Action>({ name: 'clear', run: ({ view }) => view.clear() }),
  )
  await fc.assert(
    fc.asyncProperty(
      fc.array(change, { maxLength: 30 }),
      sizesToNarrow,
      sizesToNarrow,
      async (actions, size, last) => {
        const session = open(size)
        const { view, emulator } = session
        view.draft(draftOf('short'))
        for (const { run } of actions) await run(session)
        await session.resize(last)
        session.endReply()
        session.settle()
        await session.show()
        const before = emulator.all()
        const text = emulator.text()
        expect(before.filter((row) => /^(lobby · |bob Grep)/.test(row))).toHaveLength(1)
        expect(before.at(-1)).toBe('> short')
        view.clear()
        session.settle()
        await session.show()
        const all = emulator.all()
        expect(all.slice(-2)).toEqual(before.slice(-2))
        expect(emulator.cursor().column).toBe('> short'.length)
        if (!actions.some(({ name }) => name === 'clear')) {
          const said = actions.filter(({ leaves }) => leaves).length
          expect(before.filter((row) => OF_A_MESSAGE.test(row))).toHaveLength(said)
          // What was not finished may stand there twice: a narrower window breaks it, and shows it before it is told.
          expect([...new Set(wordsIn(text))].toSorted((a, b) => a - b)).toEqual(allWords(session.streamed()))
        }
        view.close()
      },
    ),
    { numRuns: runs(150) },
  )
})

test('a new entry costs under 40 extra characters, and a typed character only itself', () => {
  const { terminal, timers, view } = open({ columns: 80, rows: 24 })
  view.draft(draftOf('a draft that somebody is writing'))
  timers.advance(1_000)
  const written = (act: () => void): string => {
    const from = terminal.written().length
    act()
    timers.advance(1_000)
    return terminal.written().slice(from)
  }
  const text = 'something that somebody says'
  expect(written(() => view.entry(messageOf(text))).length).toBeLessThan(text.length + 40)
  expect(written(() => view.draft(draftOf('a draft that somebody is writing!')))).toBe('!')
  expect(written(() => view.draft(draftOf('a draft that somebody is writing')))).toBe('\b\u001b[K')
  expect(written(() => view.refresh())).toBe('')
})

test('simultaneous changes of a screen are one write, constant ones about 30 writes a second', () => {
  const { terminal, timers, view } = open({ columns: 80, rows: 24 })
  timers.advance(1_000)
  let writes = 0
  const counting = terminal.listen(() => writes++)
  for (let i = 0; i < 100; i++) view.entry(messageOf(`at once ${i}`))
  timers.advance(1_000)
  expect(writes).toBe(1)
  for (let i = 0; i < 1_000; i++) {
    view.entry(messageOf(`one a millisecond ${i}`))
    timers.advance(1)
    timers.pass()
  }
  // Thirty frames, and those that were saved up in the quiet time before.
  expect(writes).toBeLessThanOrEqual(1 + 31 + 8)
  timers.advance(1_000)
  expect(timers.pending()).toBe(0)
  counting()
  view.close()
})

/** Resizes a window of 80 columns in the middle of a reply, each time before the server knows. */
async function resizeInReply(widths: readonly number[], reflowCursorLine: boolean, delay: number) {
  const session = open({ columns: 80, rows: 24 }, { reflowCursorLine })
  const { terminal, emulator, timers, view, show } = session
  const confirm: (() => void)[] = []
  terminal.whenRead = (listener) => void confirm.push(listener)
  view.print('said long before')
  timers.advance(10_000)
  const write = (): void => {
    session.stream({ text: (n) => `- word ${n} of a row that nearly fills the window of eighty\n`, words: 1 })
    timers.advance(delay)
  }
  for (let i = 0; i < 5; i++) write()
  for (const columns of widths) {
    await show()
    emulator.resize(columns, 24)
    write()
    await show()
    terminal.resize(columns, 24)
    timers.advance(100)
    for (const settled of confirm.splice(0)) settled()
    for (let i = 0; i < 2; i++) write()
  }
  session.endReply()
  session.settle()
  await show()
  return session
}

const everyWay = [true, false].flatMap((reflows) => [0, 40, 90].map((delay) => ({ reflows, delay })))

test.each([[[60]], [[60, 140]]])(
  'resizes to %j columns before the server knows of them leave one status line',
  async (widths) => {
    for (const { reflows, delay } of everyWay) {
      const { emulator } = await resizeInReply(widths, reflows, delay)
      expect(emulator.all().filter((row) => row.includes('lobby · '))).toHaveLength(1)
    }
  },
)

test.each([[[60]], [[60, 140]], [[70, 62, 50]], [[100, 50, 80]]])(
  'resizes to %j columns before the server knows of them lose no line',
  async (widths) => {
    for (const { reflows, delay } of everyWay) {
      const { emulator, streamed } = await resizeInReply(widths, reflows, delay)
      expect(emulator.all().filter((row) => row === 'said long before')).toHaveLength(1)
      for (let n = 0; n < streamed(); n++) expect(emulator.text()).toContain(`word ${n} of`)
    }
  },
)

test('a client that never confirms a resize delays at most 64 items', async () => {
  const { terminal, view, show, emulator, settle, resize } = open({ columns: 40, rows: 10 })
  settle()
  terminal.whenRead = () => undefined
  await resize({ columns: 50, rows: 10 })
  const before = terminal.written()
  for (let i = 1; i < 64; i++) view.print(`line ${i}`)
  settle()
  expect(terminal.written()).toBe(before)
  view.print('line 64')
  settle()
  await show()
  expect(emulator.all().filter((row) => row.startsWith('line '))).toHaveLength(64)
})

test('a closed view removes its draft and status line, then writes nothing more', async () => {
  const session = open({ columns: 40, rows: 10 })
  const { terminal, view, emulator } = session
  session.setStatus({ running: [work('bob', 'Grep')] })
  view.draft(draftOf('not sent'))
  session.settle()
  view.print('shown in no frame yet')
  view.close('bye')
  const written = terminal.written()
  view.entry(messageOf('late'))
  session.stream({ text: () => 'late', words: 0 })
  view.close()
  session.settle()
  expect(terminal.written()).toBe(written)
  await session.show()
  expect(emulator.all()).toEqual(['shown in no frame yet', 'bye'])
})

const presenceOf = (text: string): Entry => ({
  ...{ id: text as EntryId, at: 0, room, author: 'system', kind: 'presence', text },
  event: text.endsWith('left') ? 'left' : 'joined',
})

test('consecutive joins and leaves are one row, which is redrawn until another entry follows', async () => {
  const { view, emulator, show, settle } = open({ columns: 40, rows: 12 })
  for (const text of ['one', 'two', 'three']) view.entry(messageOf(text))
  const rowsWith = (word: string): readonly string[] => emulator.screen().filter((row) => row.includes(word))
  for (const [text, shown] of [
    ['ann joined', '-- ann joined'],
    ['cy joined', '-- ann, cy joined'],
    ['dee left', '-- ann, cy joined · dee left'],
    ['a-very-long-name joined', '-- ann, cy, a-very-long-name joined ·'],
  ] as const) {
    view.entry(presenceOf(text))
    settle()
    await show()
    expect(rowsWith('-- ')).toEqual([shown])
  }
  expect(rowsWith('dee left')).toHaveLength(1)
  view.entry(messageOf('four'))
  settle()
  await show()
  expect(emulator.screen().filter((row) => /bob:|-- /.test(row))).toEqual([
    ...['bob: one', '-- ann, cy, a-very-long-name joined ·', 'bob: four'],
  ])
})

const callOf = (change: object = {}): Entry => ({
  ...{ id: 'c1' as EntryId, at: 0, room, author: 'guide', text: '', requester: 'ann', turn: 't9' as TurnId },
  ...{ kind: 'tool_call', call: 'c1', name: 'Grep', arguments: { pattern: 'TODO' } },
  ...change,
})

const resultOf = (change: object = {}): Entry => ({
  ...{ id: 'r1' as EntryId, at: 0, room, author: 'guide', turn: 't9' as TurnId, kind: 'tool_result' },
  ...{ call: 'c1', name: 'Grep', isError: false, durationMs: 12, bytes: 1229, text: 'src/a.ts:1: TODO' },
  ...change,
})

test('a tool call is one row with its running time, and later with the first line of its result', async () => {
  const { view, emulator, show, settle } = open({ columns: 70, rows: 12 })
  const rowsWith = (word: string): readonly string[] => emulator.all().filter((row) => row.includes(word))
  view.entry(callOf())
  settle()
  await show()
  expect(rowsWith('Grep')).toEqual(['-- guide: Grep {"pattern":"TODO"} running 0ms'])
  view.entry(messageOf('in between'))
  view.entry(resultOf())
  settle()
  await show()
  expect(rowsWith('Grep')).toEqual(['-- guide: Grep {"pattern":"TODO"} -> src/a.ts:1: TODO (12ms, 1.2 KiB)'])
  view.entry(callOf({ arguments: { pattern: 'x'.repeat(500) } }))
  view.entry(resultOf({ text: `${'found '.repeat(40)}\nmore` }))
  settle()
  await show()
  expect(rowsWith('Grep').slice(1)).toEqual([
    expect.stringMatching(/^-- guide: Grep .* … -> found .* … \(12ms, 1.2 KiB\)$/),
  ])
})

test('an error of a tool is one row, and a call without a result stays when its turn ends', async () => {
  const { view, emulator, show, settle } = open({ columns: 40, rows: 12 })
  const why = `ERROR: ${Array.from({ length: 20 }, (_, index) => `why${index}`).join(' ')}`
  view.entry(callOf())
  view.entry(resultOf({ isError: true, text: why }))
  view.entry(callOf({ call: 'c2' }))
  view.entry({
    ...messageOf('stopped'),
    kind: 'notice',
    level: 'info',
    turn: 't9' as TurnId,
    author: 'system',
  })
  settle()
  await show()
  const shown = emulator
    .all()
    .map((row) => row.trim())
    .join(' ')
  expect(shown).toMatch(
    /-> ERROR: why0 why1 .*… -- guide: Executing tool: Grep {"pattern":"TODO"} -- stopped/,
  )
})
