import type { SearchTerm } from './ports.ts'

/** Terms beyond this are not looked for. */
const MAX_TERMS = 16

/**
 * What somebody looks for. A word also finds longer words that begin with it, with or without a `*` at its end; words in
 * quotes are looked for as they stand there, one after the other. Any text is a search: nothing in it is wrong.
 */
export function searchTerms(text: string): readonly SearchTerm[] {
  const terms = [...text.matchAll(/"([^"]*)"?|([^\s"]+)/gu)].map(([, quoted, word = '']) =>
    quoted === undefined ? { text: word.replace(/\*+$/, ''), whole: false } : { text: quoted, whole: true },
  )
  const written = new Map(terms.map((term) => [termText(term), term]))
  return [...written.values()].filter((term) => term.text.trim() !== '').slice(0, MAX_TERMS)
}

/** The terms as one writes them, for the answer that nothing has them. */
export const termsText = (terms: readonly SearchTerm[]): string => terms.map(termText).join(' and ')

const termText = ({ text, whole }: SearchTerm): string => (whole ? `"${text}"` : text)
