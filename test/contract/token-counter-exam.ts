import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { TokenCounter } from '../../src/wrap/ports.ts'
import { runs } from '../support/runs.ts'
import { anyCharacter } from '../support/any-character.ts'

/** Text as it occurs in rooms: words, breaks, indentation, slashes, scripts without spaces, emoji, controls. */
const piece = fc.oneof(
  fc.constantFrom(
    ...['\n', '\n\n', ' ', '  ', '\t', '\r\n', '/', '//', '- ', '...', "'s", '.\n', ')\n/', '  \n  '],
  ),
  fc.constantFrom(
    ...['123456', 'hello', 'Welt', 'ünïcode', '漢字仮名', 'שלום', '👩‍👩‍👧', '<|endoftext|>', 'ﷺ', 'e\u0301'],
  ),
  fc.constantFrom('\u0000', '\ud800'),
  fc.string({ maxLength: 8, unit: anyCharacter }),
)
const prose = fc.array(piece, { maxLength: 30 }).map((pieces) => pieces.join(''))

/** What is examined, and the number of tokens that the encoding's own tokenizer finds. */
export interface Examinee {
  readonly counter: TokenCounter
  readonly truth: (text: string) => number
}

/** What every adapter of `TokenCounter` must do; run for each encoding. */
export function tokenCounterExam(name: string, examined: () => Examinee): void {
  describe(`the token counter ${name}`, () => {
    test('a token counter agrees with the tokenizer, even on lone surrogates and control tokens', () => {
      const { counter, truth } = examined()
      const check = (text: string): void => {
        expect(counter.count(text)).toBe(truth(text))
      }
      check('')
      check('<|endoftext|>')
      fc.assert(fc.property(prose, check), { numRuns: runs(100) })
    })

    test.each(['a', 'A', '!', ' ', '漢', 'é', '😀', '\n'])(
      'a token counter counts a long run of %j at most 4 % too high and never too low',
      (unit) => {
        const { counter, truth } = examined()
        const text = unit.repeat(2000)
        expect(counter.count(text)).toBeGreaterThanOrEqual(truth(text))
        expect(counter.count(text)).toBeLessThanOrEqual(Math.ceil(truth(text) * 1.04) + 2)
      },
    )

    test('a token counter counts a run of 100,000 letters as twice a run of 50,000', () => {
      const { counter } = examined()
      const half = counter.count('a'.repeat(50_000))
      expect(counter.count('a'.repeat(100_000))).toBeGreaterThan(1.9 * half)
    })

    test('a token counter cuts heads and tails at whole characters within their tokens', () => {
      const { counter } = examined()
      fc.assert(
        fc.property(prose, fc.integer({ min: 0, max: 40 }), (given, tokens) => {
          const text = given.toWellFormed()
          const [head, tail] = [counter.head(given, tokens), counter.tail(given, tokens)]
          expect(text.startsWith(head)).toBe(true)
          expect(text.endsWith(tail)).toBe(true)
          for (const end of [head, tail]) {
            expect(end.isWellFormed()).toBe(true)
            expect(counter.count(end)).toBeLessThanOrEqual(tokens)
          }
          if (counter.count(text) <= tokens) expect([head, tail]).toEqual([text, text])
        }),
        { numRuns: runs(100) },
      )
    })

    test('a token counter uses all the tokens it may use for plain text, and none for zero', () => {
      const { counter } = examined()
      const text = 'The quick brown fox jumps over the lazy dog. '.repeat(2000)
      expect(counter.count(counter.head(text, 100))).toBe(100)
      expect(counter.count(counter.tail(text, 100))).toBeGreaterThanOrEqual(99)
      expect([counter.head(text, 0), counter.tail(text, 0), counter.head(text, -3)]).toEqual(['', '', ''])
    })
  })
}
