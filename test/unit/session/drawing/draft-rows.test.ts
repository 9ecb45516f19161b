import fc from 'fast-check'
import stringWidth from 'string-width'
import { expect, test } from 'vitest'
import { createDraftLayout, drawDraft } from '../../../../src/session/drawing/draft-rows.ts'
import { draftOf } from '../../../../src/session/input/edit-commands.ts'

const drafts = fc
  .array(fc.constantFrom('word ', 'é', '日本', '👩‍👩‍👧', '\n', '\t', 'x'.repeat(900)), { maxLength: 60 })
  .map((parts) => parts.join(''))

test('the cursor stands in the rows that are drawn, behind what is before it, and no row reaches the edge', () => {
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

test('a draft that is short enough is drawn whole, with its prompt', () => {
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

test('while somebody types on in a long draft, the rows above stay as they are', () => {
  const text = Array.from({ length: 5_000 }, (_, i) => `w${i} `).join('')
  const changed = Array.from({ length: 400 }, (_, i) => {
    const before = drawDraft(draftOf(text + 'x'.repeat(i)), 80, 6)
    const after = drawDraft(draftOf(text + 'x'.repeat(i + 1)), 80, 6)
    return before.rows.slice(0, -1).join() !== after.rows.slice(0, -1).join()
  })
  // A row that is full moves all up by one, and the part that is laid out moves on now and then.
  expect(changed.filter(Boolean).length).toBeLessThan(400 / 77 + 3)
})

test('the same draft is laid out once for a window', () => {
  const layOut = createDraftLayout()
  const draft = draftOf('hello')
  const first = layOut(draft, 80, 6)
  expect(layOut(draft, 80, 6)).toBe(first)
  expect(layOut(draft, 20, 6)).not.toBe(first)
  expect(layOut(draftOf('hello!'), 20, 6).rows).toEqual(['> hello!'])
})
