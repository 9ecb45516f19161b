// Helpers that read, clean and cut text. As all of `lib` they are pure and know nothing of rooms, people or terminals.
/**
 * The one place where text from outside becomes text that may be stored, shown and sent.
 * Controls are ECMA-48; properties are those of the Unicode Character Database.
 */

/**
 * Text that is safe to print on anybody's terminal: line ends are LF, and of the other controls only TAB
 * is left; escape sequences are gone whole; nothing is invisible or turns the direction of writing but
 * the joiners inside an emoji; a base carries at most four marks; the text is well-formed Unicode.
 * Takes any string, never throws, in linear time. Cleaning twice changes nothing more.
 */
export function cleanText(text: string): string {
  if (isPlain(text)) return text
  const [lineEnds, ...passes] = PASSES
  const unified = run(lineEnds, text.toWellFormed())
  return isPlain(unified) ? unified : passes.reduce((before, pass) => run(pass, before), unified)
}

/** `cleanText` on one line: each run of line ends and tabs becomes a space, ends are trimmed. */
export function cleanLine(text: string): string {
  return cleanText(text)
    .replace(/[\n\t]+/gu, ' ')
    .trim()
}

/** True if there is nothing to see: only blanks, fillers and marks without a base. */
export function isBlank(text: string): boolean {
  return !/[^\s\p{Cc}\p{Cf}\p{M}\p{Default_Ignorable_Code_Point}\u2800]/u.test(text)
}

/** True for text that is clean and has only plain ASCII, as most has. */
export const isPlain = (text: string): boolean => /^[\n\t -~]*$/u.test(text)

/**
 * What begins with ESC or its 8-bit forms (ECMA-48 5.4, 5.6, 8.3): CSI with its parameters; OSC, DCS, SOS,
 * PM and APC with their text up to ST or BEL; SS2 and SS3 with the shifted character; the short ones.
 * A text that no ST ends on its line loses its opening only, so that a stray byte cannot swallow a message. For the same
 * reason cleaning goes line by line: a part of a file looks as it does in the whole.
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
 * An emoji and what belongs to it (UTS #51): the three flags that are spelled with tags; a presentation
 * selector or skin tone, further ones after a joiner; the selector of a keycap. A skin tone takes no selector.
 * Tags elsewhere are a way to hide words from people that a model still reads.
 */
const EMOJI =
  '\\u{1F3F4}\\u{E0067}\\u{E0062}(?:\\u{E0065}\\u{E006E}\\u{E0067}|\\u{E0073}\\u{E0063}\\u{E0074}|\\u{E0077}\\u{E006C}\\u{E0073})\\u{E007F}' +
  `|${PICTOGRAPH}(?:\\u200D${PICTOGRAPH})*` +
  '|(?!\\p{Emoji_Modifier})\\p{Emoji}[\\uFE0E\\uFE0F]'

const EMOJI_OR_INVISIBLE = new RegExp(`(${EMOJI})|[\\p{Default_Ignorable_Code_Point}\\uFFF9-\\uFFFB]`, 'gu')

/**
 * What cleaning does, in this order: each match becomes a line feed, or the part of it that is kept, which is its first
 * group and its beginning. No pass changes anything else, so a cleaned text can be traced to where it came from.
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

/** A cleaned text, and where each part of it was before. Places count UTF-16 units. */
export interface TracedText {
  readonly text: string
  /** Where the unit at `index` begins in the original; its end at the end of the text. What was dropped before it is not in it. */
  startOf(index: number): number
  /** Where the unit at `index` ends in the original: after both characters of a CRLF that became a line feed. */
  endOf(index: number): number
}

/** `cleanText`, with the way back. */
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

/** A text with the beginning and the end of each of its units in the original. */
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
