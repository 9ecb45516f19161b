// What a search takes for a word, on every engine. It must not know where words are kept.

/** Only the beginning of a longer text is found: nobody searches for the middle of a tool's long output. */
const MAX_INDEXED_CHARS = 65_536

/** The most words of a term that are searched: each costs an index lookup. */
const MAX_SEARCHED = 64

/** Scripts without spaces between words. Each character counts as a word, and a word as a phrase. */
const UNSPACED = `[${['Han', 'Hiragana', 'Katakana', 'Thai', 'Lao', 'Khmer', 'Myanmar']
  .map((name) => `\\p{Script=${name}}`)
  .join('')}]`

/** A character of these scripts, a symbol such as an emoji, or a run of letters, digits and marks. */
const WORD = new RegExp(
  `(?:${UNSPACED}|\\p{So})\\p{M}*|(?:(?!${UNSPACED})[\\p{L}\\p{N}\\p{M}\\p{Co}])+`,
  'gu',
)

/** Accents of Latin, Greek and Cyrillic, Hebrew points, Arabic vowels, joiners and variation selectors. */
const IGNORED =
  /[\u0300-\u036f\u0591-\u05bd\u05bf\u05c1\u05c2\u05c7\u064b-\u065f\u0670]|\u200c|\u200d|[\ufe00-\ufe0f]/gu

/** Returns all words under which a text is found. */
export const indexedWords = (text: string): readonly string[] => wordsOf(text.slice(0, MAX_INDEXED_CHARS))

/** Joins `indexedWords` with spaces. ASCII stays as it is: an index splits and folds ASCII by itself. */
export function indexedText(text: string): string {
  const beginning = text.slice(0, MAX_INDEXED_CHARS)
  return /^[\0-\x7f]*$/.test(beginning) ? beginning : wordsOf(beginning).join(' ')
}

export interface SearchPhrase {
  readonly words: readonly string[]
  /** True if the last word may be the beginning of a longer one. */
  readonly isPrefix: boolean
}

/** The words of a term, folded as `indexedWords` has them; undefined if it has none. */
export function searchPhrase(text: string, whole: boolean): SearchPhrase | undefined {
  return phraseOf(indexedWords(text), whole)
}

/** Returns `searchPhrase`, and its form in an index of an older version if that differs. */
export function searchForms(text: string, whole: boolean): readonly SearchPhrase[] {
  const now = searchPhrase(text, whole)
  const before = phraseOf(wordsOf(text.slice(0, MAX_INDEXED_CHARS), foldSimply), whole)
  if (!now || !before) return [now, before].filter((form) => form !== undefined)
  return now.words.join(' ') === before.words.join(' ') ? [now] : [now, before]
}

/** The parts of a text that the phrases find, in order, in UTF-16 units. */
export function findPlaces(phrases: readonly SearchPhrase[], text: string): readonly Place[] {
  const words = [...text.slice(0, MAX_INDEXED_CHARS).matchAll(WORD)].flatMap(({ 0: word, index }) =>
    foldWord(word).map((folded) => ({ folded, from: index, to: index + word.length })),
  )
  const places: Place[] = []
  for (const [at, { from }] of words.entries()) {
    const ends = phrases.flatMap(({ words: wanted, isPrefix }) => {
      const last = wanted.length - 1
      const isHere = wanted.every((one, index) => {
        const folded = words[at + index]?.folded
        return folded === one || (isPrefix && index === last && folded?.startsWith(one))
      })
      return isHere ? (words[at + last]?.to ?? []) : []
    })
    const begin = Math.max(from, places.at(-1)?.to ?? 0)
    const end = Math.max(0, ...ends)
    if (end > begin) places.push({ from: begin, to: end })
  }
  return places
}

export interface Place {
  readonly from: number
  readonly to: number
}

/** A last word of one character is no prefix: a tenth of all words begin with `c`. */
function phraseOf(all: readonly string[], whole: boolean): SearchPhrase | undefined {
  const words = all.slice(0, MAX_SEARCHED)
  const last = words.at(-1)
  return last === undefined ? undefined : { words, isPrefix: !whole && [...last].length > 1 }
}

const wordsOf = (text: string, folded = fold): readonly string[] => folded(text).match(WORD) ?? []

const foldWord = (word: string): readonly string[] =>
  /^[0-9A-Za-z]+$/.test(word) ? [word.toLowerCase()] : wordsOf(word)

/**
 * Removes differences of compatibility forms, accents and case: `Ａrger` and `Ärger` are `arger`, `Straße` is
 * `strasse`. Upper case in between makes it full case folding, except for the final sigma.
 */
const fold = (text: string): string =>
  foldSimply(text).toUpperCase().toLowerCase().replaceAll('ς', 'σ').replace(IGNORED, '')

/** Folds each letter to one letter: `Straße` is `straße`. Older versions indexed like this. */
const foldSimply = (text: string): string =>
  text.normalize('NFKD').replace(IGNORED, '').normalize('NFC').toLowerCase().replace(IGNORED, '')
