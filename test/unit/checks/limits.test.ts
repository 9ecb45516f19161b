import { expect, test } from 'vitest'
import { against, raisedLimits } from '../../checks/limits.ts'

const limits = { charactersOfCode: 100, longFunctions: ['src/a.ts f'] }
const version = (more: object, message?: string) => ({
  json: JSON.stringify({ ...limits, ...more }),
  message,
})
const WAY_OUT = 'lower it, or have its commit say "Raises the limit: why"'

test.each([undefined, 'turns: add hooks\n'])(
  'a limit that a commit raises without a reason is reported (%s)',
  (message) => {
    expect(raisedLimits([version({ charactersOfCode: 101 }, message), version({}, '')])).toEqual([
      `test/checks/limits.json: charactersOfCode 101 was 100; ${WAY_OUT}`,
    ])
  },
)

test('a limit that was raised without a reason is reported even after later commits', () => {
  const versions = [
    version({ charactersOfCode: 99 }, ''),
    version({ charactersOfCode: 101 }, ''),
    version({}, ''),
  ]
  expect(raisedLimits(versions)).toHaveLength(1)
})

test('a commit that gives a reason may raise a limit', () => {
  const message = 'turns: add hooks\n\nRaises the limit: hooks are a new feature.\n'
  expect(raisedLimits([version({ charactersOfCode: 101 }, message), version({}, '')])).toEqual([])
})

test('a function that is added to the list of long ones is reported as a raised limit', () => {
  const versions = [version({ longFunctions: ['src/b.ts g'] }), version({}, '')]
  expect(raisedLimits(versions)).toEqual([
    `test/checks/limits.json: longFunctions has src/b.ts g; ${WAY_OUT}`,
  ])
})

test('a new limit does not count as raised', () => {
  expect(raisedLimits([version({ bannedPhrases: 5 }), version({}, '')])).toEqual([])
})

test('a limit is reported if it is exceeded or far too high', () => {
  expect(against('characters', 101, 100, 5)).toEqual(['characters: 101, at most 100'])
  expect(against('characters', 95, 100, 5)).toEqual([])
  expect(against('characters', 94, 100, 5)).toEqual([
    'characters: only 94; lower the limit of 100 in test/checks/limits.json',
  ])
})
