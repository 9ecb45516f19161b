import { expect, test } from 'vitest'
import { requestText } from '../../../../../src/commands/verbs/turn.ts'

const folded = (system: string): string | undefined =>
  requestText({ number: 1, now: { system, user: '', messages: [], tools: [] }, before: undefined }, 20).split(
    '-- user',
  )[0]

test('a folded part ends behind a whole word, and within one only where that is longer than all that is shown', () => {
  const words = 'write '.repeat(30).trim()
  expect(folded(words)).toBe(
    `-- request 1\n-- system\n${'write '.repeat(20).trim()}\n… [60 more characters; full prints all]\n`,
  )
  expect(folded(`${'write '.repeat(19)}writes ${'more '.repeat(9)}`)).toContain('write writes\n…')
  expect(folded('x'.repeat(200))).toContain(`${'x'.repeat(120)}\n… [80 more`)
})
