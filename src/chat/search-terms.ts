import { Refusal } from './errors.ts'
import type { SearchTerm } from './ports.ts'

/** Terms beyond this are not looked for. */
const MAX_TERMS = 16

/** Punctuation parts words and is not looked for; this is what else there is. */
const WORD_CHARACTER = /[\p{L}\p{M}\p{N}\p{So}\p{Co}]/u

/**
 * What somebody looks for. A word also finds longer words that begin with it, with or without a `*` at its end; other
 * punctuation there ends it. Words in quotes are looked for as they stand there, one after the other. Throws `Refusal`
 * where there is nothing but punctuation.
 */
export function searchTerms(text: string): readonly SearchTerm[] {
  const terms = [...text.matchAll(/"([^"]*)"?|([^\s"]+)/gu)]
    .map(([, quoted, word = '']) =>
      quoted === undefined ? wordTerm(word.replace(/\*+$/, '')) : { text: quoted, whole: true },
    )
    .filter((term) => WORD_CHARACTER.test(term.text))
  if (terms.length === 0)
    throw new Refusal(
      'there is nothing to look for: punctuation is not searched; name a word, a number or an emoji',
    )
  return [...new Map(terms.map((term) => [termText(term), term])).values()].slice(0, MAX_TERMS)
}

const wordTerm = (text: string): SearchTerm => ({ text, whole: !WORD_CHARACTER.test(text.at(-1) ?? '') })

/** The terms as one writes them, for the answer that nothing has them. */
export const termsText = (terms: readonly SearchTerm[]): string => terms.map(termText).join(' and ')

const termText = ({ text, whole }: SearchTerm): string => (whole ? `"${text}"` : text)
