/**
 * The tags between which models write what they think, where their server does not take it out of the text:
 * most models (docs.vllm.ai, reasoning/basic_parsers), Seed-OSS (reasoning/seedoss_reasoning_parser), Magistral
 * (reasoning/mistral_reasoning_parser).
 */
export const TAGS = [
  { open: '<think>', close: '</think>' },
  { open: '<seed:think>', close: '</seed:think>' },
  { open: '[THINK]', close: '[/THINK]' },
] as const

/** One pair of them. */
export type Tag = (typeof TAGS)[number]

/**
 * The first opening tag outside of code, or what the end of the text may be the beginning of. `isQuoted` if the text begins
 * within a line's code.
 */
export function tagIn(
  text: string,
  isQuoted: boolean,
): { readonly at: number; readonly tag?: Tag } | undefined {
  let isCode = isQuoted
  for (const { 0: sign, index } of text.matchAll(/[<[`]/g)) {
    if (sign === '`') isCode = !isCode
    if (isCode || sign === '`') continue
    const tag = TAGS.find(({ open }) => text.startsWith(open, index))
    if (tag) return { at: index, tag }
    if (TAGS.some(({ open }) => isEndOf(text, index, open))) return { at: index }
  }
  return undefined
}

/** Whether the text from here on is a beginning of the tag. */
const isEndOf = (text: string, at: number, tag: string): boolean =>
  text.length - at < tag.length && tag.startsWith(text.slice(at))

/** Whether code that begins or ends in a line is open after this text, if it was not before. */
export const hasOddTicks = (text: string): boolean => (text.split('`').length - 1) % 2 === 1

/** Characters at the end of a text with which a tag begins. */
export function lengthOfBegun(text: string, tag: string): number {
  for (let length = Math.min(text.length, tag.length - 1); length > 0; length -= 1)
    if (tag.startsWith(text.slice(-length))) return length
  return 0
}

/** A closing tag with nothing after it on its line. */
export const closesAlone = (rest: string): boolean =>
  TAGS.some(({ close }) => rest.startsWith(close) && /^[ \t\r]*\n/.test(rest.slice(close.length)))

/** The beginning of a line on which there may be nothing but a closing tag. */
export const isBegun = (close: string, rest: string): boolean =>
  close.startsWith(rest) || (rest.startsWith(close) && /^[ \t\r]*$/.test(rest.slice(close.length)))
