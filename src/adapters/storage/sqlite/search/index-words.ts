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

/** The words of a term, folded as in the index. */
export const searchedWords = (text: string): readonly string[] =>
  wordsOf(text.slice(0, MAX_INDEXED_CHARS)).slice(0, MAX_SOUGHT)

const wordsOf = (text: string): readonly string[] => fold(text).match(WORD) ?? []

/** Compatibility forms, accents and case make no difference: `Ａrger` and `Ärger` are `arger`. */
const fold = (text: string): string =>
  text.normalize('NFKD').replace(IGNORED, '').normalize('NFC').toLowerCase().replace(IGNORED, '')
