import { expect, test } from 'vitest'
import { messageText, oneLine } from '../../../src/chat/input-text.ts'

const limits = { message_chars: 10, paste_bytes: 20, message_lines: 3 }

test.each([
  ['hello\n\n', 'hello'],
  ['a\r\nb', 'a\nb'],
  ['longer than\na line', 'longer than\na line'],
  ['\u001b[31mred\u001b[0m', 'red'],
  ['😀'.repeat(10), '😀'.repeat(10)],
])('%j is said as %j', (raw, said) => {
  expect(messageText(raw, limits)).toBe(said)
})

test.each(['', ' \n\t', '\u200b\u200b', '\u001b[2J', '\u202e'])('%j has nothing to say', (raw) => {
  expect(() => messageText(raw, limits)).toThrow('the message is empty')
})

test('what is too long is refused with both figures', () => {
  expect(() => messageText('x'.repeat(11), limits)).toThrow('has 11 characters and 10 are allowed')
  expect(() => messageText('a\nb\nc\nd', limits)).toThrow('has 4 lines and 3 are allowed')
  expect(() => messageText('é\n'.padEnd(21, 'x'), limits)).toThrow('has 22 bytes and 20 are allowed')
})

test('a topic is one line', () => {
  expect(oneLine(' a\n b\t\u001b[0mc ', 10)).toBe('a b c')
  expect(() => oneLine('x'.repeat(11), 10)).toThrow('10 characters are allowed')
})
