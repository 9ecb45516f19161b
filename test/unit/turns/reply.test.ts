import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { cleanText } from '../../../src/lib/text/clean-text.ts'
import { createReply, MAX_REPLY_CHARS } from '../../../src/turns/reply.ts'

/** Adds the pieces to a reply of one step; gives what was shown and what is recorded. */
function written(pieces: readonly string[]) {
  const shown: string[] = []
  const reply = createReply((text) => shown.push(text))
  reply.nextStep()
  for (const piece of pieces) reply.add(piece)
  const text = reply.finish()
  return { shown: shown.join(''), text }
}

/** Pieces that are hard to clean when they are cut anywhere. */
const hard = fc.constantFrom(
  'a',
  'é',
  '\u001b[31m',
  '\u001b]0;t\u0007',
  '\r\n',
  '\r',
  '\n',
  '😀',
  '👩‍🔬',
  '\u202e',
  '\t',
  ' ',
  '\u0000',
  '\u009b1m',
)

const cutAnywhere = fc
  .tuple(fc.array(hard, { maxLength: 40 }), fc.array(fc.nat(), { maxLength: 20 }))
  .map(([parts, cuts]) => {
    const text = parts.join('')
    const places = [...new Set(cuts.map((cut) => cut % (text.length + 1)))].toSorted((a, b) => a - b)
    return { text, pieces: [0, ...places].map((from, index) => text.slice(from, places[index])) }
  })

describe('a reply that is being written', () => {
  it('is recorded as its whole text cleaned, however it was cut', () => {
    fc.assert(
      fc.property(cutAnywhere, ({ text, pieces }) => {
        expect(written(pieces).text).toBe(cleanText(text).trim())
      }),
    )
  })

  it('is never shown with anything that cleaning would take away', () => {
    fc.assert(
      fc.property(cutAnywhere, ({ pieces }) => {
        const { shown } = written(pieces)
        expect(cleanText(shown)).toBe(shown)
      }),
    )
  })

  it('is shown piece by piece as it is recorded, for ordinary text', () => {
    fc.assert(
      fc.property(fc.array(fc.string({ unit: 'grapheme', maxLength: 30 })), (pieces) => {
        const whole = pieces.join('')
        fc.pre(cleanText(whole) === whole && !whole.includes('\r'))
        expect(written(pieces).shown).toBe(whole)
      }),
    )
  })

  it('puts an empty line between the texts of two steps, and nothing around steps without text', () => {
    const shown: string[] = []
    const reply = createReply((text) => shown.push(text))
    for (const text of ['one', '', 'two']) {
      reply.nextStep()
      if (text) expect(reply.add(text)).toBe(true)
    }
    reply.nextStep()
    expect(shown.join('')).toBe('one\n\ntwo')
    expect(reply.finish()).toBe('one\n\ntwo')
  })

  it('gives each part once it is taken, without the gap before the next, and all of them at its end', () => {
    const shown: string[] = []
    const reply = createReply((text) => shown.push(text))
    expect(reply.take()).toBe('')
    for (const text of ['one ', ' \n', 'two']) {
      reply.nextStep()
      reply.add(text)
      expect(reply.take()).toBe(text.trim())
    }
    expect(shown).toEqual(['one ', ' \n', 'two'])
    expect(reply.isEmpty()).toBe(false)
    expect(reply.finish()).toBe('one\n\ntwo')
  })

  it('shows at its end what was held back for a sequence that never ended', () => {
    const { shown, text } = written(['see \u001b]0; the ', 'rest'])
    expect(text).toBe('see 0; the rest')
    expect(shown).toBe(text)
  })

  it('takes as many characters as it can hold, and says when it is full', () => {
    const reply = createReply(() => {})
    expect(reply.add('x'.repeat(MAX_REPLY_CHARS))).toBe(true)
    expect(reply.add('y')).toBe(false)
    expect(reply.finish()).toBe('x'.repeat(MAX_REPLY_CHARS))
  })

  it('does not take longer and longer for a text that comes in small pieces without a line end', () => {
    const shown: string[] = []
    const reply = createReply((text) => shown.push(text))
    for (let index = 0; index < 60_000; index++) reply.add('x')
    expect(shown.join('')).toHaveLength(60_000)
  })
})
