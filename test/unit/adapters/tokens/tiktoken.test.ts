import fc from 'fast-check'
import { get_encoding } from 'tiktoken'
import { afterAll, describe, expect, test } from 'vitest'
import { cutLines, cutLongRuns } from '../../../../src/adapters/tokens/pieces.ts'
import { createTokenCounters } from '../../../../src/adapters/tokens/tiktoken.ts'

const counters = createTokenCounters()
const counter = counters.of('o200k_base')
const reference = get_encoding('o200k_base')
afterAll(() => {
  counters.close()
  reference.free()
})

/** Text as it occurs in rooms: words, breaks, indentation, slashes, scripts without spaces, emoji, controls. */
const piece = fc.oneof(
  fc.constantFrom(
    '\n',
    '\n\n',
    ' ',
    '  ',
    '\t',
    '\r\n',
    '/',
    '//',
    '- ',
    '...',
    "'s",
    '.\n',
    ')\n/',
    '  \n  ',
    '123456',
  ),
  fc.constantFrom(
    'hello',
    'Welt',
    'ünïcode',
    '漢字仮名',
    'שלום',
    '👩‍👩‍👧',
    '<|endoftext|>',
    '\u0000',
    '\ud800',
    'ﷺ',
    'e\u0301',
  ),
  fc.string({ maxLength: 8, unit: 'binary' }),
)
const prose = fc.array(piece, { maxLength: 30 }).map((pieces) => pieces.join(''))

describe('the token counter', () => {
  test.each(['o200k_base', 'cl100k_base'])('counts what tiktoken counts, in %s', (encoding) => {
    const ours = counters.of(encoding)
    const theirs = get_encoding(encoding as 'o200k_base')
    fc.assert(
      fc.property(prose, (text) => {
        expect(ours.count(text)).toBe(theirs.encode_ordinary(text).length)
      }),
      { numRuns: 2000 },
    )
    theirs.free()
  })

  test('counts text that looks like a control token as the text it is', () => {
    expect(counter.count('<|endoftext|>')).toBeGreaterThan(1)
  })

  test('adds up over lines that begin at the margin', () => {
    const line = fc
      .string({ maxLength: 20, unit: 'binary' })
      .map((text) => `- ${text.replace(/[\n\r]/g, '')}\n`)
    fc.assert(
      fc.property(fc.array(line, { maxLength: 10 }), (lines) => {
        const sum = lines.reduce((total, one) => total + reference.encode_ordinary(one).length, 0)
        expect(reference.encode_ordinary(lines.join('')).length).toBe(sum)
      }),
      { numRuns: 2000 },
    )
  })

  test('cuts text without losing any of it', () => {
    const run = fc.tuple(fc.constantFrom('a', ' ', '!', '漢', '😀', '\n'), fc.integer({ min: 1, max: 2000 }))
    const runs = fc.array(
      fc.oneof(
        prose,
        run.map(([unit, times]) => unit.repeat(times)),
      ),
      { maxLength: 4 },
    )
    fc.assert(
      fc.property(runs, (parts) => {
        const text = parts.join('')
        expect(cutLines(text).join('')).toBe(text)
        expect(cutLongRuns(text).join('')).toBe(text)
        for (const one of cutLongRuns(text)) expect(one.isWellFormed() || !text.isWellFormed()).toBe(true)
      }),
      { numRuns: 500 },
    )
  })

  test.each(['a', 'A', '!', ' ', '漢', 'é', '😀', '\n'])(
    'counts a long run of %j close to the truth and never under it',
    (unit) => {
      const text = unit.repeat(3000)
      const truth = reference.encode_ordinary(text).length
      expect(counter.count(text)).toBeGreaterThanOrEqual(truth)
      expect(counter.count(text)).toBeLessThanOrEqual(Math.ceil(truth * 1.04) + 2)
    },
  )

  test('counts a hundred thousand equal letters in pieces that stay short', () => {
    const pieces = cutLongRuns('a'.repeat(100_000))
    expect(Math.max(...pieces.map((one) => one.length))).toBeLessThanOrEqual(512)
    expect(counter.count('a'.repeat(100_000))).toBeGreaterThan(10_000)
  })

  test('cuts heads and tails that are ends of the text, within their tokens, on whole characters', () => {
    fc.assert(
      fc.property(prose, fc.integer({ min: 0, max: 40 }), (given, tokens) => {
        const text = given.toWellFormed()
        const head = counter.head(given, tokens)
        const tail = counter.tail(given, tokens)
        expect(text.startsWith(head)).toBe(true)
        expect(text.endsWith(tail)).toBe(true)
        for (const end of [head, tail]) {
          expect(end.isWellFormed()).toBe(true)
          expect(counter.count(end)).toBeLessThanOrEqual(tokens)
        }
        if (counter.count(text) <= tokens) expect([head, tail]).toEqual([text, text])
      }),
      { numRuns: 2000 },
    )
  })

  test('uses the tokens it is given for plain text', () => {
    const text = 'The quick brown fox jumps over the lazy dog. '.repeat(2000)
    expect(counter.count(counter.head(text, 100))).toBe(100)
    expect(counter.count(counter.tail(text, 100))).toBeGreaterThanOrEqual(99)
    expect(counter.head(text, 0)).toBe('')
    expect(counter.head(text, -3)).toBe('')
  })

  test('says which encodings there are', () => {
    expect(() => counters.of('o200k_bass')).toThrow(
      'there is no token encoding called "o200k_bass"; did you mean o200k_base?',
    )
    expect(() => counters.of('')).toThrow('there are o200k_base')
  })
})
