// What a search takes for a word, on every engine. This folder must not know where words are kept.

/** Of a longer text only the beginning is found: nobody searches for the middle of a tool's long output. */
const MAX_INDEXED_CHARS = 65_536

/** Of a search with more of them, the rest are not looked for: each costs the index a look. */
const MAX_SOUGHT = 64

/** Scripts that put no spaces between words: each character is a word, and a word is a phrase of them. */
const UNSPACED =
  '[' +
  ['Han', 'Hiragana', 'Katakana', 'Thai', 'Lao', 'Khmer', 'Myanmar']
    .map((name) => `\\p{Script=${name}}`)
    .join('') +
  ']'

/**
 * Such a character, a symbol such as an emoji, or a run of letters, digits and marks. Punctuation and blanks only part
 * words.
 */
const WORD = new RegExp(
  `(?:${UNSPACED}|\\p{So})\\p{M}*|(?:(?!${UNSPACED})[\\p{L}\\p{N}\\p{M}\\p{Co}])+`,
  'gu',
)

/** Accents of Latin, Greek and Cyrillic; points of Hebrew and vowels of Arabic; joiners and what picks a glyph. */
const IGNORED =
  /[\u0300-\u036f]|[\u0591-\u05bd\u05bf\u05c1\u05c2\u05c7]|[\u064b-\u065f\u0670]|\u200c|\u200d|[\ufe00-\ufe0f]/gu

const ASCII_ONLY = /^[\0-\x7f]*$/

/** A text as the index takes it: its words as `searchedWords` has them, with blanks between. */
export function indexedText(text: string): string {
  const beginning = text.slice(0, MAX_INDEXED_CHARS)
  // The index parts and folds ASCII by itself, in the same way.
  return ASCII_ONLY.test(beginning) ? beginning : wordsOf(beginning).join(' ')
}

/** The words of a term, folded as in the index; and as an index has them that an older version began, where they differ. */
export function searchedWords(text: string): readonly (readonly string[])[] {
  const sought = text.slice(0, MAX_INDEXED_CHARS)
  const now = wordsOf(sought).slice(0, MAX_SOUGHT)
  const before = wordsOf(sought, foldSimply).slice(0, MAX_SOUGHT)
  return now.join(' ') === before.join(' ') ? [now] : [now, before]
}

/** All words of a text that are found. */
export const indexedWordsOf = (text: string): readonly string[] => wordsOf(text.slice(0, MAX_INDEXED_CHARS))

/** The words of a term, as `indexedWordsOf` has them. */
export const soughtWordsOf = (text: string): readonly string[] => indexedWordsOf(text).slice(0, MAX_SOUGHT)

const wordsOf = (text: string, folded = fold): readonly string[] => folded(text).match(WORD) ?? []

/**
 * Compatibility forms, accents and case make no difference: `Ａrger` and `Ärger` are `arger`, `Straße` is `strasse`.
 * By way of capital letters, which is full case folding but for the sigma at the end of a word, which is small in its own
 * way.
 */
const fold = (text: string): string =>
  foldSimply(text).toUpperCase().toLowerCase().replaceAll('ς', 'σ').replace(IGNORED, '')

/** One letter for one letter: `Straße` is `straße`. The index was made so before. */
const foldSimply = (text: string): string =>
  text.normalize('NFKD').replace(IGNORED, '').normalize('NFC').toLowerCase().replace(IGNORED, '')
