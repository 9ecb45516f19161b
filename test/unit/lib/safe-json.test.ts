import fc from 'fast-check'
import { expect, test } from 'vitest'
import { safeJson } from '../../../src/lib/json.ts'
import { anyCharacter } from '../../support/any-character.ts'

test('JSON for a terminal has no control in it, and parses to what it was', () => {
  fc.assert(
    fc.property(fc.string({ unit: anyCharacter }), (text) => {
      const json = safeJson({ [text]: [text] })
      expect(json).not.toMatch(/[\p{Cc}\p{Cf}]/u)
      expect(JSON.parse(json)).toEqual({ [text]: [text] })
    }),
  )
  expect(safeJson('\u009b2J\u202e\u{e0041}\u2028x')).toBe('"\\u009b2J\\u202e\\udb40\\udc41\\u2028x"')
})
