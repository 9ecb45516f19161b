import { expect, test } from 'vitest'
import { completeDraft } from '../../../src/session/input/keyboard.ts'
import { draftOf } from '../../../src/session/input/edit-commands.ts'

const complete = async (text: string, choices: readonly string[]) => {
  const { draft, choices: shown } = await completeDraft(draftOf(text), () => Promise.resolve(choices), 100)
  return [draft.text, shown]
}

test.each([
  ['the only choice is put in whole, with a space', 'hi @gu', ['@guide'], 'hi @guide ', []],
  ['several are completed as far as they agree', '/h', ['/help', '/hello'], '/hel', []],
  ['and listed when they agree no further', '/hel', ['/help', '/hello'], '/hel', ['/help', '/hello']],
  ['no choice changes nothing', 'xyz', [], 'xyz', []],
  ['the spelling of the choice wins', '@GU', ['@guide'], '@guide ', []],
  ['a choice for an empty word is put in', '/join ', ['lobby'], '/join lobby ', []],
  ['choices that are something else are only listed', 'abc', ['x', 'y'], 'abc', ['x', 'y']],
])('%s', async (_label, text, choices, expected, shown) => {
  expect(await complete(text, choices)).toEqual([expected, shown])
})

test('the word that is completed is the end of the text before the cursor', async () => {
  const asked: string[] = []
  const draft = { text: 'hi @gu you', cursor: 6 }
  await completeDraft(draft, async (...given) => (asked.push(...given), []), 100)
  expect(asked).toEqual(['hi @gu', '@gu'])
})

test('text after the cursor stays', async () => {
  const draft = { text: '/he rest', cursor: 3 }
  const done = await completeDraft(draft, () => Promise.resolve(['/help']), 100)
  expect(done.draft).toEqual({ text: '/help  rest', cursor: 6 })
})
