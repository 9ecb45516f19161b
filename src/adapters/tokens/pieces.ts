/** A run of one class of more bytes than this is cut before counting: merging bytes takes quadratic time in it. */
const MAX_RUN_BYTES = 512
/** The same in characters where each may be four bytes: Chinese, emoji. */
const MAX_WIDE_RUN_CHARS = MAX_RUN_BYTES / 4

/** Letters with their marks, white space, and the rest; digits never make long runs (they are taken in threes). */
const LONG_RUN = new RegExp(
  `[\\p{L}\\p{M}]{${MAX_WIDE_RUN_CHARS + 1},}|\\s{${MAX_WIDE_RUN_CHARS + 1},}|[^\\s\\p{L}\\p{N}]{${MAX_WIDE_RUN_CHARS + 1},}`,
  'gu',
)
const RUN_PART = new RegExp(`[\\0-\\u007f]{1,${MAX_RUN_BYTES}}|[^]{1,${MAX_WIDE_RUN_CHARS}}`, 'gu')

/** The text in pieces that can be encoded one by one in linear time; joined they are the text. */
export function cutLongRuns(text: string): readonly string[] {
  if (text.length <= MAX_WIDE_RUN_CHARS) return [text]
  const pieces: string[] = []
  let end = 0
  for (const run of text.matchAll(LONG_RUN)) {
    const parts = run[0].match(RUN_PART) ?? []
    if (parts.length < 2) continue
    // The run's first part stays with the text before it, its last with what follows: only the run is cut.
    pieces.push(text.slice(end, run.index) + parts[0], ...parts.slice(1, -1))
    end = run.index + run[0].length - (parts.at(-1)?.length ?? 0)
  }
  return pieces.length === 0 ? [text] : [...pieces, text.slice(end)]
}

/**
 * Encodings with tables of their own whose words never reach over a line break into a following line that begins with neither white
 * space nor a slash: their patterns take a run of white space up to its last line break as one word, and
 * nothing looks behind. So the counts of such lines add up to the count of the text, and can be remembered.
 * (From the patterns in tiktoken's openai_public.py; r50k and p50k differ.)
 */
export const LINES_ADD_UP: ReadonlySet<string> = new Set(['cl100k_base', 'o200k_base'])

/** The text cut where counts add up exactly. A loop, because this is done for every text of every prompt. */
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

/** Whether there is neither white space, nor a slash, nor the end. */
export function beginsLine(text: string, at: number): boolean {
  const code = text.charCodeAt(at)
  return code > LAST_ASCII ? !/^\s/u.test(text.charAt(at)) : code > 32 && code !== SLASH
}
