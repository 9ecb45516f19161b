import { expect, test } from 'vitest'
import { Refusal } from '../../../src/words/errors.ts'
import { searchTerms, termsText } from '../../../src/chat/text/input-text.ts'
import { findPlaces, searchPhrase } from '../../../src/chat/text/search-words.ts'

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
])('the search %j is split into words and phrases', (text, terms) => {
  expect(searchTerms(text)).toEqual(terms)
})

test.each(['', '" "" "', '...', '"" -- *'])('the search %j is refused because it has no words', (text) => {
  expect(() => searchTerms(text)).toThrow(Refusal)
})

test('a search uses at most sixteen words', () => {
  const text = Array.from({ length: 100 }, (_, n) => `w${n}`).join(' ')
  expect(searchTerms(text)).toHaveLength(16)
})

test('search terms are shown as they were written', () => {
  expect(termsText(searchTerms('green "the build"'))).toBe('green and "the build"')
})

/** The text with brackets around what the words find. */
function bracketed(text: string, ...words: readonly string[]): string {
  const phrases = words.map((word) => searchPhrase(word, false)).filter((phrase) => phrase !== undefined)
  const parts = findPlaces(phrases, text).toReversed()
  return parts.reduce(
    (all, { from, to }) => `${all.slice(0, from)}[${all.slice(from, to)}]${all.slice(to)}`,
    text,
  )
}

test.each([
  [['build'], 'the Builder builds', 'the [Builder] [builds]'],
  [['strasse'], 'in der Straße', 'in der [Straße]'],
  [['arger'], 'Ärger, Ａrger, A\u0308rger', '[Ärger], [Ａrger], [A\u0308rger]'],
  [['is green'], 'it is, green', 'it [is, green]'],
  [['is green', 'green tea'], 'is green tea', '[is green][ tea]'],
  [['北京'], '我在北京', '我在[北京]'],
  [['c'], 'cc c', 'cc [c]'],
  [['nope'], 'yes', 'yes'],
])('the words %j are marked in the text %j as the index matches them', (words, text, shown) => {
  expect(bracketed(text, ...words)).toBe(shown)
})
