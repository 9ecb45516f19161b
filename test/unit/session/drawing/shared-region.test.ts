import fc from 'fast-check'
import { expect, test } from 'vitest'
import { drawnText } from '../../../../src/session/drawing/entry-rows.ts'
import { NO_REGION, paintRegion, type Region, writeChange } from '../../../../src/session/drawing/region.ts'

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

test('whatever other screens showed before, a change is written as for this one alone', () => {
  fc.assert(
    fc.property(fc.array(change, { maxLength: 40 }), (changes) => {
      for (const { drawn, texts, next } of changes)
        expect(paintRegion(drawn, texts, next)).toBe(writeChange(drawn, texts, next))
    }),
  )
})

test('what many screens show in the same way is drawn for the first of them', () => {
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
