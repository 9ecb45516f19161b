import { expect, test } from 'vitest'
import { createMemo } from '../../../../src/adapters/tokens/tiktoken.ts'

test('a memo computes once, forgets what was asked for longest ago, and never keeps more than it may', () => {
  const computed: string[] = []
  const length = createMemo(10, (text) => {
    computed.push(text)
    return text.length
  })
  expect([length('aaaa'), length('bbbb'), length('aaaa')]).toEqual([4, 4, 4])
  expect(computed).toEqual(['aaaa', 'bbbb'])
  length('cccc')
  length('aaaa')
  expect(computed).toEqual(['aaaa', 'bbbb', 'cccc'])
  length('bbbb')
  expect(computed).toEqual(['aaaa', 'bbbb', 'cccc', 'bbbb'])
  length('x'.repeat(11))
  length('x'.repeat(11))
  expect(computed.length).toBe(6)
})
