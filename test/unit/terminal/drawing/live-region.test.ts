import { expect, test, describe } from 'vitest'
import fc from 'fast-check'
import stringWidth from 'string-width'
import { drawnText } from '../../../../src/terminal/drawing/drawn-text.ts'
import type { Region } from '../../../../src/terminal/drawing/region-diff.ts'
import { NO_REGION, paintRegion, writeChange } from '../../../../src/terminal/drawing/region.ts'
import { createEmulator } from '../../../support/terminal.ts'
import { createDraftLayout, drawDraft } from '../../../../src/terminal/drawing/draft-rows.ts'
import { draftOf } from '../../../../src/terminal/input/edit-commands.ts'
import { cleanText } from '../../../../src/base/text/clean-text.ts'
import { echoChange } from '../../../../src/terminal/views/plain-view.ts'

const LINE = `bob: ${'said '.repeat(9)}`.trimEnd()
const STATUS = 'lobby · 1 here'
const DRAFT = '> a draft that is longer than a row of the narrower window'

/** A status from edge to edge, and the draft with the cursor behind it. */
const region = (columns: number, ...draft: readonly string[]): Region => ({
  rows: [STATUS.padEnd(columns), ...draft],
  live: 0,
  cursor: { row: draft.length, column: draft.at(-1)?.length ?? 0 },
  size: { columns, rows: 10 },
})

const [wide, narrow] = [region(100, DRAFT), region(43, DRAFT.slice(0, 42), DRAFT.slice(42))]
const drawWide = paintRegion(NO_REGION, [drawnText(LINE, 99)], wide)
const SHOWN = [LINE.slice(0, 43), LINE.slice(43), STATUS, ...narrow.rows.slice(1)]

// xterm.js, and so the terminal of VS Code, cuts the row of the cursor and breaks the others.
test('a line that wraps after a resize stays whole on the screen', async () => {
  const emulator = createEmulator(100, 10)
  await emulator.write(drawWide)
  emulator.resize(43, 10)
  await emulator.write(paintRegion(wide, [], narrow))
  expect(emulator.screen()).toEqual(SHOWN)
})

// tmux and most others break all rows, as if they had been written into the narrower window.
test('a resize leaves no old status line above if the terminal rewraps the cursor row', async () => {
  const emulator = createEmulator(43, 10)
  await emulator.write([LINE, ...wide.rows].join('\r\n'))
  await emulator.write(paintRegion(wide, [], narrow))
  expect(emulator.screen()).toEqual(SHOWN)
})

const drafts = fc
  .array(fc.constantFrom('word ', 'é', '日本', '👩‍👩‍👧', '\n', '\t', 'x'.repeat(900)), { maxLength: 60 })
  .map((parts) => parts.join(''))

test('the cursor of a draft is within the drawn rows, and no row reaches the window edge', () => {
  fc.assert(
    fc.property(
      drafts,
      fc.nat(60_000),
      fc.integer({ min: 10, max: 300 }),
      fc.integer({ min: 1, max: 6 }),
      (text, at, columns, maxRows) => {
        const draft = { text, cursor: at % (text.length + 1) }
        const { rows, row, column } = drawDraft(draft, columns, maxRows)
        expect(rows.length).toBeLessThanOrEqual(maxRows)
        expect(stringWidth(rows[row] ?? '')).toBeGreaterThanOrEqual(column)
        for (const one of rows) expect(stringWidth(one)).toBeLessThan(columns)
      },
    ),
  )
})

test('a short draft is drawn whole with its prompt', () => {
  expect(drawDraft({ text: 'one\ntwo', cursor: 1 }, 80, 6)).toEqual({
    rows: ['> one', '  two'],
    row: 0,
    column: 3,
  })
})

test('a draft with more rows than fit says how many are above', () => {
  const lines = (count: number): string => Array.from({ length: count }, (_, i) => `line ${i}`).join('\n')
  expect(drawDraft(draftOf(lines(74)), 80, 6).rows).toEqual([
    '  … 69 rows above',
    ...[69, 70, 71, 72, 73].map((i) => `  line ${i}`),
  ])
  expect(drawDraft(draftOf(lines(1_000)), 80, 6).rows[0]).toBe('  … 995 rows above')
  expect(drawDraft(draftOf(lines(5)), 80, 2).rows).toEqual(['  line 3', '  line 4'])
})

test('typing at the end of a long draft seldom changes the rows above', () => {
  const text = Array.from({ length: 5_000 }, (_, i) => `w${i} `).join('')
  const changed = Array.from({ length: 400 }, (_, i) => {
    const before = drawDraft(draftOf(text + 'x'.repeat(i)), 80, 6)
    const after = drawDraft(draftOf(text + 'x'.repeat(i + 1)), 80, 6)
    return before.rows.slice(0, -1).join() !== after.rows.slice(0, -1).join()
  })
  // A row that is full moves all up by one, and the part that is laid out moves on now and then.
  expect(changed.filter(Boolean).length).toBeLessThan(400 / 77 + 3)
})

test('an unchanged draft is laid out once for a window size', () => {
  const layOut = createDraftLayout()
  const draft = draftOf('hello')
  const first = layOut(draft, 80, 6)
  expect(layOut(draft, 80, 6)).toBe(first)
  expect(layOut(draft, 20, 6)).not.toBe(first)
  expect(layOut(draftOf('hello!'), 20, 6).rows).toEqual(['> hello!'])
})

/** What stands on the line of a dumb terminal: a backspace goes back, and what is written takes the place of what was there. */
function lineAfter(line: string, written: string): string {
  const last = written.includes('\n') ? '' : line
  return Array.from(written.slice(written.lastIndexOf('\n') + 1)).reduce(
    (shown, character) => (character === '\b' ? shown.slice(0, -1) : shown + character),
    last,
  )
}

test('the line of a dumb terminal shows the draft after every edit', () => {
  const drafts = fc.array(fc.array(fc.constantFrom('a', 'b c', 'é', '日')).map((parts) => parts.join('')))
  fc.assert(
    fc.property(drafts, (all) => {
      let [shown, from] = ['', '']
      for (const to of all) {
        shown = lineAfter(shown, echoChange(from, to)).trimEnd()
        from = to
        expect(shown).toBe(to.trimEnd())
      }
    }),
  )
})

test('the echo of a long draft rewrites at most its last 1,000 characters', () => {
  const long = 'é'.repeat(60_000)
  expect(echoChange('', long)).toHaveLength(1_000)
  expect(echoChange(long, long.slice(1))).toHaveLength(1_001)
  expect(echoChange(long, `${long}!`)).toBe('!')
  expect(echoChange('x'.repeat(60_000), '')).toBe('\n')
  expect(cleanText(echoChange('', '\u001b[2Jx\u202e'))).toBe('x')
})

describe('a shared region', () => {
  const size = { columns: 20, rows: 6 }

  const region = (...rows: string[]): Region => ({
    rows,
    live: rows.length - 2,
    cursor: { row: rows.length - 1, column: rows.at(-1)?.length ?? 0 },
    size,
  })

  /** Few of each, so that the same ones meet often. */
  const TEXTS = ['alice: hello', 'bob: one\nbob: two', 'ä and more'].map((text) =>
    drawnText(text, size.columns),
  )
  const regionOf = fc.oneof(
    fc.constant(NO_REGION),
    fc
      .tuple(
        fc.constantFrom<readonly string[]>([], ['2 joined']),
        fc.constantFrom('lobby', 'lobby · 2 here'),
        fc.constantFrom('> ', '> hi'),
      )
      .map(([live, status, draft]) => region(...live, status, draft)),
    fc.constant({ ...region('lobby', '> '), size: { columns: 30, rows: 6 } }),
    fc.constant({ ...region('lobby', '> '), cursor: { row: 1, column: 1 } }),
  )
  const change = fc.record({
    drawn: regionOf,
    texts: fc.array(fc.constantFrom(...TEXTS), { maxLength: 3 }),
    next: regionOf,
  })

  test('paintRegion writes the same as an uncached draw after any other regions', () => {
    fc.assert(
      fc.property(fc.array(change, { maxLength: 40 }), (changes) => {
        for (const { drawn, texts, next } of changes)
          expect(paintRegion(drawn, texts, next)).toBe(writeChange(drawn, texts, next))
      }),
    )
  })

  test('the same change for 100 screens is drawn only once', () => {
    let reads = 0
    const { text, rows, isSure } = drawnText('alice: hello', size.columns)
    const counted = {
      rows,
      isSure,
      get text() {
        reads += 1
        return text
      },
    }
    const show = (): string => paintRegion(region('lobby', '> '), [counted], region('lobby', '> '))
    const first = show()
    const readsOfOne = reads
    for (let screen = 1; screen < 100; screen += 1) expect(show()).toBe(first)
    expect(readsOfOne).toBeGreaterThan(0)
    expect(reads).toBe(readsOfOne)
  })
})
