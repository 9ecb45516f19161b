/**
 * Makes text from outside safe to store, show and send. Controls are those of ECMA-48, properties those of
 * Unicode.
 */

/**
 * Text that is safe on any terminal: line ends are LF, of other controls only TAB is left, escape sequences
 * are gone whole, nothing is invisible or turns the direction of writing except joiners inside an emoji, a
 * base has at most four marks, and Unicode is well-formed. Never throws, in linear time. Cleaning twice
 * changes nothing.
 */
export function cleanText(text: string): string {
  if (isPlain(text)) return text
  const [lineEnds, ...passes] = PASSES
  const unified = run(lineEnds, text.toWellFormed())
  return isPlain(unified) ? unified : passes.reduce((before, pass) => run(pass, before), unified)
}

/** Line ends and tabs become spaces, ends are trimmed. */
export function cleanLine(text: string): string {
  return cleanText(text)
    .replace(/[\n\t]+/gu, ' ')
    .trim()
}

/** Blanks, fillers and marks without a base cannot be seen. */
export function isBlank(text: string): boolean {
  return !/[^\s\p{Cc}\p{Cf}\p{M}\p{Default_Ignorable_Code_Point}\u2800]/u.test(text)
}

/** True for clean text of plain ASCII, as most is. */
export const isPlain = (text: string): boolean => /^[\n\t -~]*$/u.test(text)

/**
 * Sequences that begin with ESC or its 8-bit forms (ECMA-48 5.4, 5.6, 8.3): CSI; OSC, DCS, SOS, PM and APC up
 * to ST or BEL; SS2, SS3; the short ones. If no ST follows on the line only the opening goes, so that a stray
 * byte cannot swallow a message. Line by line, so that a part of a file looks as in the whole.
 */
const ESCAPE_SEQUENCE = new RegExp(
  [
    '(?:\\u001b\\[|\\u009b)[0-?]*[ -/]*[@-~]?',
    '(?:\\u001b[\\]PX^_]|[\\u0090\\u0098\\u009d-\\u009f])[^\\n\\u0007\\u001b\\u0080-\\u009f]*(?:\\u0007|\\u001b\\\\|\\u009c)',
    '\\u001b[NO][ -~]',
    '\\u001b[ -/]*[0-~]',
  ].join('|'),
  'gu',
)

const PICTOGRAPH = '\\p{Extended_Pictographic}[\\uFE0E\\uFE0F\\p{Emoji_Modifier}]?'

/**
 * An emoji and what belongs to it (UTS #51): three flags spelled with tags; a presentation selector or skin
 * tone, also after joiners; the selector of a keycap. Tags elsewhere could hide words from people that a
 * model reads.
 */
const EMOJI =
  '\\u{1F3F4}\\u{E0067}\\u{E0062}(?:\\u{E0065}\\u{E006E}\\u{E0067}|\\u{E0073}\\u{E0063}\\u{E0074}|\\u{E0077}\\u{E006C}\\u{E0073})\\u{E007F}' +
  `|${PICTOGRAPH}(?:\\u200D${PICTOGRAPH})*` +
  '|(?!\\p{Emoji_Modifier})\\p{Emoji}[\\uFE0E\\uFE0F]'

const EMOJI_OR_INVISIBLE = new RegExp(`(${EMOJI})|[\\p{Default_Ignorable_Code_Point}\\uFFF9-\\uFFFB]`, 'gu')

/**
 * Each match becomes a line feed, or its first group, which is its beginning. So a cleaned text can be traced
 * to where it came from.
 */
export interface Pass {
  readonly pattern: RegExp
  readonly becomes: '\n' | '$1' | ''
}

export const PASSES: readonly [Pass, ...(readonly Pass[])] = [
  { pattern: /\r\n?|[\u2028\u2029]/gu, becomes: '\n' },
  { pattern: ESCAPE_SEQUENCE, becomes: '' },
  { pattern: /(?![\n\t])\p{Cc}/gu, becomes: '' },
  { pattern: EMOJI_OR_INVISIBLE, becomes: '$1' },
  { pattern: /([\p{Mn}\p{Me}]{4})[\p{Mn}\p{Me}]+/gu, becomes: '$1' },
]

const run = ({ pattern, becomes }: Pass, text: string): string => text.replace(pattern, becomes)

/** A cleaned text, and the origin of each part in UTF-16 units. */
export interface TracedText {
  readonly text: string
  /** The beginning in the original; its end for the end of the text. Not what was dropped before it. */
  startOf(index: number): number
  /** The end in the original: after both characters of a CRLF. */
  endOf(index: number): number
}

export function traceCleanText(original: string): TracedText {
  if (isPlain(original)) return { text: original, startOf: (index) => index, endOf: (index) => index + 1 }
  const whole: Units = {
    text: original.toWellFormed(),
    starts: numbersFrom(0, original.length),
    ends: numbersFrom(1, original.length),
  }
  const { text, starts, ends } = PASSES.reduce(runPass, whole)
  return {
    text,
    startOf: (index) => starts[index] ?? original.length,
    endOf: (index) => ends[index] ?? original.length,
  }
}

/** With the beginning and the end of each unit in the original. */
interface Units {
  readonly text: string
  readonly starts: Int32Array
  readonly ends: Int32Array
}

function numbersFrom(first: number, length: number): Int32Array {
  const numbers = new Int32Array(length)
  for (let at = 0; at < length; at++) numbers[at] = first + at
  return numbers
}

function runPass(units: Units, { pattern, becomes }: Pass): Units {
  const { text, starts, ends } = units
  if (text.search(pattern) === -1) return units
  const parts: string[] = []
  const newStarts = new Int32Array(text.length)
  const newEnds = new Int32Array(text.length)
  let length = 0
  const keep = (from: number, to: number): void => {
    parts.push(text.slice(from, to))
    newStarts.set(starts.subarray(from, to), length)
    newEnds.set(ends.subarray(from, to), length)
    length += to - from
  }
  let at = 0
  for (const match of text.matchAll(pattern)) {
    const [whole, group = ''] = match
    const end = match.index + whole.length
    keep(at, match.index)
    if (becomes === '$1') keep(match.index, match.index + group.length)
    if (becomes === '\n') {
      parts.push('\n')
      newStarts[length] = starts[match.index] ?? 0
      newEnds[length++] = ends[end - 1] ?? 0
    }
    at = end
  }
  keep(at, text.length)
  return {
    text: parts.join(''),
    starts: newStarts.subarray(0, length),
    ends: newEnds.subarray(0, length),
  }
}
