import { cleanText, isBlank } from '../../base/text/clean-text.ts'
import { Refusal } from '../../words/errors.ts'
import type { SearchTerm } from '../ports.ts'

/** A text of several lines was pasted or piped, and may be longer than a typed one. */
export interface MessageLimits {
  readonly message_chars: number
  /** UTF-8 bytes of a text of several lines. */
  readonly paste_bytes: number
  readonly message_lines: number
}

/** The text as it is stored and shown. Throws `Refusal` if it is blank or too long. */
export function messageText(raw: string, limits: MessageLimits): string {
  const text = cleanText(raw).replace(/\n+$/, '')
  if (isBlank(text)) throw new Refusal('there is nothing to say: the message is empty')
  const lines = text.split('\n').length
  if (lines === 1) assertAtMost(limits.message_chars, [...text].length, 'characters')
  else assertAtMost(limits.paste_bytes, new TextEncoder().encode(text).length, 'bytes')
  assertAtMost(limits.message_lines, lines, 'lines')
  return text
}

function assertAtMost(allowed: number, found: number, what: string): void {
  if (found <= allowed) return
  throw new Refusal(`the message has ${found} ${what} and ${allowed} are allowed; nothing was sent`)
}

export function oneLine(raw: string, chars: number): string {
  const text = cleanText(raw).replace(/\s+/gu, ' ').trim()
  if ([...text].length > chars) throw new Refusal(`that is too long: ${chars} characters are allowed`)
  return text
}

const MAX_TERMS = 16

/** Any character but punctuation, which separates words and is not searched. */
const WORD_CHARACTER = /[\p{L}\p{M}\p{N}\p{So}\p{Co}]/u

/**
 * A word also finds longer words, unless it ends with punctuation other than `*`. Quoted words must follow
 * each other. Throws `Refusal` if all is punctuation.
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

export const termsText = (terms: readonly SearchTerm[]): string => terms.map(termText).join(' and ')

const termText = ({ text, whole }: SearchTerm): string => (whole ? `"${text}"` : text)
