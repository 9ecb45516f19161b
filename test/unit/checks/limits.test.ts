import { expect, test } from 'vitest'
import { against, raisedLimits } from '../../checks/limits.ts'

const before = {
  limits: { charactersOfCode: 100, bannedPhrases: 10, wideComments: 5, longFunctions: ['src/a.ts'] },
  message: '',
}
const raised = { ...before.limits, charactersOfCode: 101 }

test.each([undefined, 'turns: add hooks\n'])('a ceiling is not raised without a reason (%s)', (message) => {
  expect(raisedLimits([{ limits: raised, message }, before])).toEqual([
    'test/checks/limits.json: 101 was 100; its commit says "Raises the limit: …" and why',
  ])
})

test('a commit that says why may raise a ceiling', () => {
  const message = 'turns: add hooks\n\nRaises the limit: hooks are a new feature.\n'
  expect(raisedLimits([{ limits: raised, message }, before])).toEqual([])
})

test('a file that is added to the list of long functions is a raised limit', () => {
  const limits = { ...before.limits, longFunctions: ['src/a.ts', 'src/b.ts'] }
  expect(raisedLimits([{ limits, message: undefined }, before])).toHaveLength(1)
})

test('a limit is lowered once much less is found', () => {
  expect(against('characters', 101, 100, 5)).toEqual(['characters: 101, at most 100'])
  expect(against('characters', 95, 100, 5)).toEqual([])
  expect(against('characters', 94, 100, 5)).toEqual([
    'characters: only 94; lower the limit of 100 in test/checks/limits.json',
  ])
})
