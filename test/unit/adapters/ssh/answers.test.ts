import { expect, test } from 'vitest'
import { Answers } from '../../../../src/adapters/ssh/ssh2-internals.ts'

test('each is told with the answer to its own question, and what is asked in one go is one question', async () => {
  let pings = 0
  const answers = new Answers(() => (pings += 1))
  const told: string[] = []
  answers.asked()
  for (const name of ['a', 'b']) answers.ask(() => told.push(name))
  await Promise.resolve()
  answers.ask(() => told.push('c'))
  await Promise.resolve()
  expect(pings).toBe(2)
  answers.answered()
  expect(told).toEqual([])
  answers.answered()
  expect(told).toEqual(['a', 'b'])
  answers.answered()
  answers.answered()
  expect(told).toEqual(['a', 'b', 'c'])
})
