/** Characters of a result that a model reads at once. */
export const RESULT_CHARS = 8000

/**
 * The beginning of a result that is too long, with a notice at its end; others as they are. No character is
 * cut in two. This is the place where pages of long results will come from.
 */
export function cutResult(text: string): string {
  if (text.length <= RESULT_CHARS) return text
  const head = text.slice(0, RESULT_CHARS).replace(/[\uD800-\uDBFF]$/, '')
  return `${head}\n[… cut: the first ${head.length} of ${text.length} characters; ask for less to see the rest]`
}

const encoder = new TextEncoder()

/** Size in UTF-8. */
export const utf8Bytes = (text: string): number => encoder.encode(text).length
