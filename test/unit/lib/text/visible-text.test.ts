import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { cleanText } from '../../../../src/lib/text/clean-text.ts'
import { visibleText } from '../../../../src/lib/text/visible-text.ts'
import { anyCharacter } from '../../../support/any-character.ts'

describe('text that is shown before it runs', () => {
  it.each([
    ['plain text\n\twith a tab', 'plain text\n\twith a tab'],
    ['größe 漢字 👩‍🚀', 'größe 漢字 👩‍🚀'],
    ['rm\u200b -rf', 'rm\\u{200b} -rf'],
    ['a\u202eb', 'a\\u{202e}b'],
    ['rm\u2800x\u3164', 'rm\\u{2800}x\\u{3164}'],
    ['\u001b[2Kls', '\\u{1b}[2Kls'],
    ['a\rb', 'a\\u{d}b'],
    ['a\ud800b', 'a\\u{d800}b'],
    [`x${'\u0301'.repeat(6)}`, `x${'\\u{301}'.repeat(6)}`],
  ])('%j is %j', (text, shown) => {
    expect(visibleText(text)).toBe(shown)
  })

  it('loses nothing to cleaning, and shows what cleaning would drop', () => {
    const odd = fc.constantFrom('\u200b', '\u202e', '\u001b', '\r', '\u0301', '\ud800', '\u{e0041}', '\u00ad')
    const texts = fc
      .array(fc.oneof(odd, fc.string({ unit: anyCharacter, maxLength: 6 })))
      .map((all) => all.join(''))
    fc.assert(
      fc.property(texts, (text) => {
        const shown = visibleText(text)
        expect(cleanText(shown)).toBe(shown)
        if (cleanText(text) !== text) expect(shown).not.toBe(cleanText(text))
      }),
    )
  })
})
