import fc from 'fast-check'
import stringWidth from 'string-width'
import { expect, test } from 'vitest'
import { graphemes } from '../../../../src/lib/text/characters.ts'
import { createEmulator } from '../../../support/terminal.ts'
import { wrapText } from '../../../../src/session/drawing/spans.ts'
import { runs } from '../../../support/runs.ts'

test('text is broken at spaces, and every later row is indented', () => {
  expect(wrapText('alice: the quick brown fox', 12, '  ')).toEqual(['alice: the', '  quick', '  brown fox'])
})

test('later lines of a text are indented, so that none can pose as a speaker', () => {
  expect(wrapText('hi\nbob: I agree\n\nend', 40, '  ')).toEqual(['hi', '  bob: I agree', '', '  end'])
})

test('a word longer than a row is broken between characters, never within one', () => {
  expect(wrapText('日本語日本語', 5, '')).toEqual(['日本', '語日', '本語'])
  // Up to six cells each, in terminals that do not join them.
  expect(wrapText('👩‍👩‍👧👩‍👩‍👧👩‍👩‍👧', 12, '')).toEqual(['👩‍👩‍👧👩‍👩‍👧', '👩‍👩‍👧'])
})

test('a path that is longer than a row is broken behind its slashes, and elsewhere only where a part is too long', () => {
  expect(wrapText('src/session/drawing/theme.ts', 14, '')).toEqual(['src/session/', 'drawing/', 'theme.ts'])
  expect(wrapText('a/an-overlong-part/b', 8, '')).toEqual(['a/an-ove', 'rlong-pa', 'rt/b'])
})

test('the indentation of code is kept', () => {
  expect(wrapText('if:\n    x\n\ty', 40, '  ')).toEqual(['if:', '      x', '      y'])
})

test('no row is wider than asked, and nothing but spaces is lost', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme' }), fc.integer({ min: 4, max: 30 }), (text, width) => {
      const rows = wrapText(text, width, '  ')
      for (const row of rows)
        expect(stringWidth(row) <= width || graphemes(row.trim()).length === 1).toBe(true)
      expect(rows.join('').replace(/\s/gu, '')).toBe(text.replace(/\s/gu, ''))
    }),
    { numRuns: runs(500) },
  )
})

test('no padding with characters of doubtful width makes a terminal begin a row with what follows', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.constantFrom('👩‍👩‍👧', '🇩🇪', '👍🏽', '❤️', 'e\u0301', '한', ' ', 'x')),
      async (parts) => {
        const emulator = createEmulator(20, 50)
        await emulator.write(wrapText(`bob: ${parts.join('')} eve: hi`, 19, '  ').join('\r\n'))
        const [first, ...later] = emulator.all()
        expect(first).toMatch(/^bob:/)
        for (const row of later) expect(row).toMatch(/^( {2}|$)/)
      },
    ),
  )
})
