/** The longest run of letters, white space or symbols in bytes. Longer runs are cut: BPE is quadratic. */
const MAX_RUN_BYTES = 512
/** The same limit in characters of up to four bytes, such as Chinese and emoji. */
const MAX_WIDE_RUN_CHARS = MAX_RUN_BYTES / 4

/** Runs of letters with marks, white space, or other characters. Digits are split in threes anyway. */
const LONG_RUN = new RegExp(
  `[\\p{L}\\p{M}]{${MAX_WIDE_RUN_CHARS + 1},}|\\s{${MAX_WIDE_RUN_CHARS + 1},}|[^\\s\\p{L}\\p{N}]{${MAX_WIDE_RUN_CHARS + 1},}`,
  'gu',
)
const RUN_PART = new RegExp(`[\\0-\\u007f]{1,${MAX_RUN_BYTES}}|[^]{1,${MAX_WIDE_RUN_CHARS}}`, 'gu')

/** Splits a text into pieces that are encoded in linear time; joined they equal the text. */
export function cutLongRuns(text: string): readonly string[] {
  if (text.length <= MAX_WIDE_RUN_CHARS) return [text]
  const pieces: string[] = []
  let end = 0
  for (const run of text.matchAll(LONG_RUN)) {
    const parts = run[0].match(RUN_PART) ?? []
    if (parts.length < 2) continue
    // Joins the run's first part with the text before it, and the last part with the text after it.
    pieces.push(text.slice(end, run.index) + parts[0], ...parts.slice(1, -1))
    end = run.index + run[0].length - (parts.at(-1)?.length ?? 0)
  }
  return pieces.length === 0 ? [text] : [...pieces, text.slice(end)]
}

/**
 * Tables whose words never cross a line break into a line that begins with neither white space nor a slash:
 * the patterns match white space up to its last line break as one word, without lookbehind. So the counts of
 * such lines add up and can be cached (tiktoken's openai_public.py; r50k and p50k differ).
 */
export const LINES_ADD_UP: ReadonlySet<string> = new Set(['cl100k_base', 'o200k_base'])

/** Splits a text where counts add up exactly. A loop, because it runs for every text of every prompt. */
export function cutLines(text: string): readonly string[] {
  const lines: string[] = []
  let start = 0
  for (let end = text.indexOf('\n'); end >= 0; end = text.indexOf('\n', end + 1)) {
    if (!beginsLine(text, end + 1)) continue
    lines.push(text.slice(start, end + 1))
    start = end + 1
  }
  return start === 0 ? [text] : [...lines, text.slice(start)]
}

const SLASH = 47
const LAST_ASCII = 127

/** True unless white space, a slash or the end of the text is at `at`. */
export function beginsLine(text: string, at: number): boolean {
  const code = text.charCodeAt(at)
  return code > LAST_ASCII ? !/^\s/u.test(text.charAt(at)) : code > 32 && code !== SLASH
}
