import { expect, test } from 'vitest'
import { placesOf, searchPhrase } from '../../../src/chat/search-words.ts'

/** The text with brackets around what the words find. */
function bracketed(text: string, ...words: readonly string[]): string {
  const phrases = words.map((word) => searchPhrase(word, false)).filter((phrase) => phrase !== undefined)
  const parts = placesOf(phrases, text).toReversed()
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
])('the words %j are found in a text as the index finds them', (words, text, shown) => {
  expect(bracketed(text, ...words)).toBe(shown)
})
