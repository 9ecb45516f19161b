import fc from 'fast-check'
import { expect, test } from 'vitest'
import { cleanText } from '../../../../src/lib/text/clean-text.ts'
import { echoChange } from '../../../../src/session/views/plain-view.ts'

/** What stands on the line of a dumb terminal: a backspace goes back, and what is written takes the place of what was there. */
function lineAfter(line: string, written: string): string {
  const last = written.includes('\n') ? '' : line
  return Array.from(written.slice(written.lastIndexOf('\n') + 1)).reduce(
    (shown, character) => (character === '\b' ? shown.slice(0, -1) : shown + character),
    last,
  )
}

test('after each change the line shows the draft, however it was edited', () => {
  const drafts = fc.array(fc.array(fc.constantFrom('a', 'b c', 'é', '日')).map((parts) => parts.join('')))
  fc.assert(
    fc.property(drafts, (all) => {
      let [shown, from] = ['', '']
      for (const to of all) {
        shown = lineAfter(shown, echoChange(from, to)).trimEnd()
        from = to
        expect(shown).toBe(to.trimEnd())
      }
    }),
  )
})

test('of a draft of any length no more than its end is written again', () => {
  const long = 'é'.repeat(60_000)
  expect(echoChange('', long)).toHaveLength(1_000)
  expect(echoChange(long, long.slice(1))).toHaveLength(1_001)
  expect(echoChange(long, `${long}!`)).toBe('!')
  expect(echoChange('x'.repeat(60_000), '')).toBe('\n')
  expect(cleanText(echoChange('', '\u001b[2Jx\u202e'))).toBe('x')
})
