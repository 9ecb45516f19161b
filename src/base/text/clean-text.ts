/** Sanitizes text from outside to store, show and send. Controls are ECMA-48's, properties are Unicode's. */

/**
 * Returns text that is safe on any terminal. Line ends become LF. Removes escape sequences, control
 * characters except TAB and LF, and invisible or bidirectional characters, except joiners inside an emoji. A
 * base keeps at most four marks; the Unicode is well-formed. Never throws; is linear and idempotent.
 */
export function cleanText(text: string): string {
  if (isPlain(text)) return text
  const [lineEnds, ...passes] = PASSES
  const unified = run(lineEnds, text.toWellFormed())
  return isPlain(unified) ? unified : passes.reduce((before, pass) => run(pass, before), unified)
}

/** Sanitizes, turns line ends and tabs into spaces, and trims. */
export function cleanLine(text: string): string {
  return cleanText(text)
    .replace(/[\n\t]+/gu, ' ')
    .trim()
}

/** True if a text has only whitespace, fillers, and marks without a base. */
export function isBlank(text: string): boolean {
  return !/[^\s\p{Cc}\p{Cf}\p{M}\p{Default_Ignorable_Code_Point}\u2800]/u.test(text)
}

/** True for printable ASCII with tabs and LF, which needs no sanitizing. */
export const isPlain = (text: string): boolean => /^[\n\t -~]*$/u.test(text)

/**
 * Sequences that begin with ESC or its 8-bit forms (ECMA-48 5.4, 5.6, 8.3): CSI; OSC, DCS, SOS, PM and APC up
 * to ST or BEL; SS2, SS3; short ones. Without an ST on the line, only the introducer is removed, so that a
 * stray byte cannot remove a message. Matches within a line, so that part of a file looks as in the whole.
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
 * An emoji with its modifiers (UTS #51): one of the three flags that are spelled with tags; pictographs, each
 * with at most one presentation selector or skin tone, that joiners connect; or a keycap with its selector.
 * Other tags are no part of an emoji, because they could hold words that a model reads and people do not see.
 */
const EMOJI =
  '\\u{1F3F4}\\u{E0067}\\u{E0062}(?:\\u{E0065}\\u{E006E}\\u{E0067}|\\u{E0073}\\u{E0063}\\u{E0074}|\\u{E0077}\\u{E006C}\\u{E0073})\\u{E007F}' +
  `|${PICTOGRAPH}(?:\\u200D${PICTOGRAPH})*` +
  '|(?!\\p{Emoji_Modifier})\\p{Emoji}[\\uFE0E\\uFE0F]'

const EMOJI_OR_INVISIBLE = new RegExp(`(${EMOJI})|[\\p{Default_Ignorable_Code_Point}\\uFFF9-\\uFFFB]`, 'gu')

/** Replaces a match by LF, nothing, or its first group at its start, so that the origin can be traced. */
export interface CleaningPass {
  readonly pattern: RegExp
  readonly becomes: '\n' | '$1' | ''
}

export const PASSES: readonly [CleaningPass, ...(readonly CleaningPass[])] = [
  { pattern: /\r\n?|[\u2028\u2029]/gu, becomes: '\n' },
  { pattern: ESCAPE_SEQUENCE, becomes: '' },
  { pattern: /(?![\n\t])\p{Cc}/gu, becomes: '' },
  { pattern: EMOJI_OR_INVISIBLE, becomes: '$1' },
  { pattern: /([\p{Mn}\p{Me}]{4})[\p{Mn}\p{Me}]+/gu, becomes: '$1' },
]

const run = ({ pattern, becomes }: CleaningPass, text: string): string => text.replace(pattern, becomes)

/** A sanitized text, and the origins of its parts in UTF-16 units. */
export interface TracedText {
  readonly text: string
  /** Returns the start in the original, after removed characters; for the text's end, the original's end. */
  startOf(index: number): number
  /** Returns the end in the original; for a CRLF, after both characters. */
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

/** A text, and each unit's start and end in the original. */
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

function runPass(units: Units, { pattern, becomes }: CleaningPass): Units {
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
