import { expect, test } from 'vitest'
import { mentionedWords, mentions, mentionsOfPeople } from '../../../src/chat/mentions.ts'

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
  ['a@qwen a+b@qwen.dev', []],
  ['@qwenこんにちは', ['qwen']],
  ['请问@qwen，これは@guide ユーザー@gpt-4.1', ['qwen', 'guide', 'gpt-4.1']],
  ['中a@qwen 中a@qwen.dev 中@qwen.dev 中@qwen/core', []],
  [`@qwen${'-'.repeat(40)}`, []],
])('%j mentions %j', (text, expected) => {
  expect(mentions(text, ['qwen', 'guide', 'gpt-4.1'])).toEqual(expected)
})

test('code, quotes and packages mention no person either', () => {
  const text = '`@bob` @bob/core bob@bob.dev https://example.org/@bob\n> @bob\n```\n@bob\n```\n@Zoë.'
  expect(['bob', 'zoë'].map(mentionsOfPeople(text))).toEqual([false, true])
  expect(mentionedWords(text)).toEqual([{ word: 'Zoë', isFirst: false }])
})
