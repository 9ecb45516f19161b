import { expect, test } from 'vitest'
import { mostCells } from '../../../../src/session/drawing/cells.ts'
import { drawnCells } from '../../../support/terminal.ts'

test.each([
  ['abc', 3],
  ['e\u0301', 1],
  ['界', 2],
  ['가', 2],
  ['👨\u200D👩\u200D👧', 6],
  ['\u115F', 2],
  ['\u3164', 2],
  ['\uFFA0', 1],
  ['\u07FD', 1],
  ['\u{1DA00}', 1],
])('%j takes at most %i cells', (text, cells) => {
  expect(mostCells(text)).toBe(cells)
})

/** Marks, what has no shape of its own, and code points of the first plane that are not given out yet. */
function oddCharacters(): readonly string[] {
  const all = Array.from({ length: 0x110000 }, (_, point) => point)
  return all
    .filter((point) => point < 0xd800 || point > 0xdfff)
    .map((point) => String.fromCodePoint(point))
    .filter((text) => /[\p{M}\p{Cf}\p{Default_Ignorable_Code_Point}]|(?=[\0-\uFFFF])\p{Cn}/u.test(text))
}

test('no odd character is drawn wider than it is counted', async () => {
  const texts = oddCharacters().map((odd) => `a${odd}b`)
  const drawn = await drawnCells(texts)
  expect(drawn).toHaveLength(texts.length)
  const wider = texts.filter((text, index) => (drawn[index] ?? Infinity) > mostCells(text))
  expect(wider).toEqual([])
  expect(texts.length).toBeGreaterThan(7_000)
})
