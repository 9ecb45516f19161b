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
  return isPlain(text) ? text : capMarks(dropInvisible(dropControls(unifyLineEnds(text.toWellFormed()))))
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

/** Most text is plain ASCII, which needs no further look. */
const isPlain = (text: string): boolean => /^[\n\t -~]*$/u.test(text)

const unifyLineEnds = (text: string): string => text.replace(/\r\n?|[\u2028\u2029]/gu, '\n')

/**
 * What begins with ESC or its 8-bit forms (ECMA-48 5.4, 5.6, 8.3): CSI with its parameters; OSC, DCS, SOS,
 * PM and APC with their text up to ST or BEL; SS2 and SS3 with the shifted character; the short ones.
 * A text that no ST ends loses its opening only, so that a stray byte cannot swallow a message.
 */
const ESCAPE_SEQUENCE = new RegExp(
  [
    '(?:\\u001b\\[|\\u009b)[0-?]*[ -/]*[@-~]?',
    '(?:\\u001b[\\]PX^_]|[\\u0090\\u0098\\u009d-\\u009f])[^\\u0007\\u001b\\u0080-\\u009f]*(?:\\u0007|\\u001b\\\\|\\u009c)',
    '\\u001b[NO][ -~]',
    '\\u001b[ -/]*[0-~]',
  ].join('|'),
  'gu',
)

const dropControls = (text: string): string =>
  text.replace(ESCAPE_SEQUENCE, '').replace(/(?![\n\t])\p{Cc}/gu, '')

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

const dropInvisible = (text: string): string => text.replace(EMOJI_OR_INVISIBLE, '$1')

const capMarks = (text: string): string => text.replace(/([\p{Mn}\p{Me}]{4})[\p{Mn}\p{Me}]+/gu, '$1')
