import { expect, test } from 'vitest'
import { badSubjects, bannedPhrases } from '../../checks/phrases.ts'

test('a banned phrase is found in comments, names and pages, even across a line break', () => {
  const sources = new Map([
    ['src/a.ts', '// Waits so\n// long.\nconst whoever = 1\n'],
    ['docs/a.md', 'In place of `whom` use a noun.\n'],
  ])
  expect(bannedPhrases(sources)).toEqual([
    'src/a.ts:1: so // long',
    'src/a.ts:3: whoever',
    'docs/a.md:1: In place of',
  ])
})

test('a commit subject is rejected unless it is "area: imperative" of at most 60 characters', () => {
  const good = ['ratelimit: cancel queued commands on disconnect', 'mcp(http): close idle sessions']
  const bad = ['What waits for its pace ends with its caller', `docs: ${'x'.repeat(55)}`]
  expect(badSubjects(good)).toEqual([])
  expect(badSubjects(bad)).toEqual(bad.map((subject) => expect.stringContaining(`commit "${subject}"`)))
})
