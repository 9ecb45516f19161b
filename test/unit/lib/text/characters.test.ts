import fc from 'fast-check'
import { expect, test } from 'vitest'
import { characterAt, characterEnd, headOf } from '../../../../src/lib/text/characters.ts'

const FAMILY = '👩‍👩‍👧'

test('a text is cut between characters, however many code points they have', () => {
  expect(headOf(`ab${FAMILY}c`, 5)).toBe('ab')
  expect(headOf(`ab${FAMILY}c`, 2 + FAMILY.length)).toBe(`ab${FAMILY}`)
  expect(headOf('ae\u0301x', 2)).toBe('a')
  expect(headOf(FAMILY, 1)).toBe('')
  expect(headOf('abc', 0)).toBe('')
  expect(headOf('abc', -1)).toBe('')
})

test('a character has a beginning and an end', () => {
  expect(characterAt(`a${FAMILY}b`, 4)).toBe(1)
  expect(characterEnd(`a${FAMILY}b`, 4)).toBe(1 + FAMILY.length)
  expect(characterEnd('ab', 1)).toBe(2)
  expect(characterEnd('', 0)).toBe(0)
})

test('a head is a beginning of the text, as long as asked for at most, and ends where a character ends', () => {
  const pieces = fc.array(fc.constantFrom('a', FAMILY, 'e\u0301', '🇨🇭', '\r\n', '漢', '\ud800'), {
    maxLength: 30,
  })
  fc.assert(
    fc.property(pieces, fc.nat(80), (parts, units) => {
      const text = parts.join('')
      const head = headOf(text, units)
      expect(text.startsWith(head)).toBe(true)
      expect(head.length).toBeLessThanOrEqual(units)
      expect(characterAt(text, head.length)).toBe(head.length)
    }),
  )
})
