import { expect, test } from 'vitest'
import { Refusal } from '../../../src/chat/errors.ts'
import { searchTerms, termsText } from '../../../src/chat/input-text.ts'

const word = (text: string) => ({ text, whole: false })
const phrase = (text: string) => ({ text, whole: true })

test.each([
  ['build green', [word('build'), word('green')]],
  ['  build\n\tgreen ', [word('build'), word('green')]],
  ['build* **', [word('build')]],
  ['"the build" is', [phrase('the build'), word('is')]],
  ['say"the build"now', [word('say'), phrase('the build'), word('now')]],
  ['"never closed', [phrase('never closed')]],
  ['build build "build"', [word('build'), phrase('build')]],
  ['C++ build, (green)', [phrase('C++'), phrase('build,'), phrase('(green)')]],
  ['... 🎉 "?!"', [phrase('🎉')]],
])('%j is looked for as its words and phrases', (text, terms) => {
  expect(searchTerms(text)).toEqual(terms)
})

test.each(['', '" "" "', '...', '"" -- *'])('%j has nothing to look for', (text) => {
  expect(() => searchTerms(text)).toThrow(Refusal)
})

test('no more than sixteen are looked for', () => {
  const text = Array.from({ length: 100 }, (_, n) => `w${n}`).join(' ')
  expect(searchTerms(text)).toHaveLength(16)
})

test('terms are told as they were written', () => {
  expect(termsText(searchTerms('green "the build"'))).toBe('green and "the build"')
})
