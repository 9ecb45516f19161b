import type { SearchTerm } from '../../../../chat/ports.ts'
import { indexedWordsOf, soughtWordsOf } from '../../words/index-words.ts'

/** PostgreSQL takes words of 2046 bytes: so many characters of any script are fewer. */
const MAX_WORD_CHARS = 500

/** Positions after this one are the same for it (https://www.postgresql.org/docs/current/textsearch-limitations.html). */
const MAX_POSITION = 16_383

/** It takes so many positions of one word. */
const MAX_POSITIONS = 255

/** PostgreSQL takes a megabyte, with all words and positions. Of a longer text the beginning is found. */
const MAX_BYTES = 900_000

/** A text as a `tsvector`: its words with their positions. */
export function indexedWords(text: string): string {
  const positions = new Map<string, number[]>()
  let bytes = 0
  for (const [at, word] of indexedWordsOf(text).map(cut).entries()) {
    const known = positions.get(word)
    bytes += known ? 2 : Buffer.byteLength(word) + 8
    if (bytes > MAX_BYTES) break
    if (!known) positions.set(word, [Math.min(at + 1, MAX_POSITION)])
    else if (known.length < MAX_POSITIONS && at < MAX_POSITION) known.push(at + 1)
  }
  return [...positions].map(([word, all]) => `'${word}':${all.join(',')}`).join(' ')
}

/** The terms as a `tsquery`; undefined where no term has a word. Nothing that somebody wrote is taken for syntax: words hold no quotes. */
export function soughtWords(terms: readonly SearchTerm[]): string | undefined {
  const phrases = terms.flatMap(({ text, whole }) => phraseOf(soughtWordsOf(text).map(cut), whole))
  return phrases.length === 0 ? undefined : phrases.join(' & ')
}

/** A last word of one character does not go on: `c` is not looked for as the beginning of a tenth of all words. */
function phraseOf(words: readonly string[], whole: boolean): readonly string[] {
  const last = words.at(-1)
  if (last === undefined) return []
  const goesOn = !whole && [...last].length > 1
  return [`(${words.map((word) => `'${word}'`).join(' <-> ')}${goesOn ? ':*' : ''})`]
}

const cut = (word: string): string =>
  word.length <= MAX_WORD_CHARS ? word : [...word].slice(0, MAX_WORD_CHARS).join('')
