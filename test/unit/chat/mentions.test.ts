import { expect, test } from 'vitest'
import { mentions } from '../../../src/chat/mentions.ts'

test.each([
  ['@qwen why does this fail?', ['qwen']],
  ['ask @qwen.', ['qwen']],
  ['ask @QWEN, or @guide; @qwen again', ['qwen', 'guide']],
  ['me@qwen.example is an address', []],
  ['@@qwen', []],
  ['@nobody', []],
  ['(@gpt-4.1)', ['gpt-4.1']],
  ['@gpt-4.1.', ['gpt-4.1']],
  ['@gpt-4', []],
  ['@constructor @__proto__', []],
  ['', []],
])('%j mentions %j', (text, expected) => {
  expect(mentions(text, ['qwen', 'guide', 'gpt-4.1'])).toEqual(expected)
})
