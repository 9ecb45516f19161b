import { expect, test } from 'vitest'
import { messageText, oneLine } from '../../../src/chat/text/input-text.ts'
import {
  createAddressed,
  createAddressedHere,
  createMentionTest,
  mentionedWords,
  mentions,
} from '../../../src/words/mentions.ts'
import type { Entry, EntryId, RoomName } from '../../../src/words/entry.ts'

const limits = { message_chars: 10, paste_bytes: 20, message_lines: 3 }

test.each([
  ['hello\n\n', 'hello'],
  ['a\r\nb', 'a\nb'],
  ['longer than\na line', 'longer than\na line'],
  ['\u001b[31mred\u001b[0m', 'red'],
  ['😀'.repeat(10), '😀'.repeat(10)],
])('the input %j becomes the message %j', (raw, said) => {
  expect(messageText(raw, limits)).toBe(said)
})

test.each(['', ' \n\t', '\u200b\u200b', '\u001b[2J', '\u202e'])(
  'the input %j is refused as an empty message',
  (raw) => {
    expect(() => messageText(raw, limits)).toThrow('the message is empty')
  },
)

test('a message with too many characters, lines or bytes is refused with both figures', () => {
  expect(() => messageText('x'.repeat(11), limits)).toThrow('has 11 characters and 10 are allowed')
  expect(() => messageText('a\nb\nc\nd', limits)).toThrow('has 4 lines and 3 are allowed')
  expect(() => messageText('é\n'.padEnd(21, 'x'), limits)).toThrow('has 22 bytes and 20 are allowed')
})

test('a topic is reduced to one line and limited in length', () => {
  expect(oneLine(' a\n b\t\u001b[0mc ', 10)).toBe('a b c')
  expect(() => oneLine('x'.repeat(11), 10)).toThrow('10 characters are allowed')
})

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
  ['try `@qwen`', []],
  ['``a ` @qwen``, and `it` is for @guide', ['guide']],
  ['a ` alone, @qwen, and another `` of two', ['qwen']],
  ['it`s\n\nfor @qwen, isn`t it', ['qwen']],
  ['\\` is escaped, @qwen, as is \\`', ['qwen']],
  ['```\n@qwen\n```\n@guide, why?', ['guide']],
  ['~~~~ts\n@qwen\n```\n~~~\n@qwen\n~~~~\n@guide', ['guide']],
  ['- ```\n  @qwen\n  ```\n- @guide', ['guide']],
  ['```@qwen```\n@guide', ['guide']],
  ['```\n@qwen is in a block that nothing closes', []],
  ['> @qwen said so\n@guide, is it true?', ['guide']],
  ['>> @qwen\n>@qwen', []],
  ['> ```\n@guide', ['guide']],
  ['a > @qwen', ['qwen']],
  ['https://example.org/@qwen', []],
  ['https://example.org/?of=@qwen, @guide', ['guide']],
  ['[@guide](https://example.org/a,@qwen)', ['guide']],
  ['example.org/?of=@qwen or example.org/@qwen', []],
  ['見てhttps://example.org。@qwen', ['qwen']],
  ['<https://example.org>@qwen', ['qwen']],
  ['npm i @qwen/core ./node_modules/@qwen', []],
  ['@qwen/ and/or @guide.', ['qwen', 'guide']],
  ['@qwen@example.org', []],
  ['\\@qwen hello, @guide', ['guide']],
  ['a@qwen a+b@qwen.dev', []],
  ['@qwenこんにちは', ['qwen']],
  ['请问@qwen，これは@guide ユーザー@gpt-4.1', ['qwen', 'guide', 'gpt-4.1']],
  ['中a@qwen 中a@qwen.dev 中@qwen.dev 中@qwen/core', []],
  [`@qwen${'-'.repeat(40)}`, []],
])('the text %j mentions the models %j', (text, expected) => {
  expect(mentions(text, ['qwen', 'guide', 'gpt-4.1'])).toEqual(expected)
})

test('a name in code, quotes, URLs or packages mentions no person', () => {
  const text = '`@bob` @bob/core bob@bob.dev https://example.org/@bob\n> @bob\n```\n@bob\n```\n@Zoë.'
  expect(['bob', 'zoë'].map(createMentionTest(text))).toEqual([false, true])
  expect(mentionedWords(text)).toEqual([{ word: 'Zoë', isFirst: false }])
})

const said = (text: string, more: Partial<Entry> = {}): Entry =>
  ({
    ...{ id: '1' as EntryId, at: 0, room: 'lobby' as RoomName, author: 'ann', kind: 'message', text },
    ...more,
  }) as Entry

test.each([
  ['hey @bob, look', true],
  ['hey @BOB.', true],
  ['bob: look', true],
  ['Bob, look', true],
  ['bob:', true],
  ['bob: see @cy', true],
  ['@bobby', false],
  ['bobby: look', false],
  ['tell bob: look', false],
  ['http://bob:80/', false],
  ['bob:look', false],
  ['mail@bob', false],
  ['\\@bob is here', false],
  ['', false],
])('the message %j addresses bob: %s', (text, is) => {
  const addressed = createAddressed()
  const entry = said(text)
  expect(addressed(entry, { name: 'bob' })).toBe(is)
  expect(addressed(entry, { name: 'zoe' })).toBe(false)
})

test('a person is not addressed by their own lines, by notices or by side turns', () => {
  const addressed = createAddressed()
  expect(addressed(said('@bob', { author: 'bob' }), { name: 'bob' })).toBe(false)
  expect(addressed(said('@bob', { kind: 'notice' }), { name: 'bob' })).toBe(false)
  expect(addressed(said('@bob', { thread: 't1' as never }), { name: 'bob' })).toBe(false)
  expect(addressed(said('@bob', { kind: 'reply' }), { name: 'bob' })).toBe(true)
})

test('a line to all addresses the people in its room, but not its author and people elsewhere', () => {
  const entry = said('@all lunch', { toAll: true })
  expect(createAddressedHere()(entry, { name: 'bob' })).toBe(true)
  expect(createAddressedHere()(entry, { name: 'ann' })).toBe(false)
  expect(createAddressed()(entry, { name: 'bob' })).toBe(false)
})
