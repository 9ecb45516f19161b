import { structuredPatch } from 'diff'
import { counted } from '../amounts.ts'

const CONTEXT_LINES = 3

/** The limit of changed lines: comparing 400 takes up to 50 ms. */
const MAX_EDITS = 400

/** The limit of characters between the common beginning and end of two texts. */
const MAX_COMPARED = 131_072

/**
 * Returns changed lines with mark and number, such as `- 12  old` and `+ 12  new`. Lines around them have the
 * new text's number and no mark; `… 30 lines as before` replaces the rest. Returns an empty text for equal
 * texts, and undefined above the limits.
 */
export function lineDiff(before: string, after: string): string | undefined {
  if (before === after) return ''
  const isCrlf = [before, after].every((text) => text.includes('\r\n') && !/(?<!\r)\n/.test(text))
  const plain = (text: string): string => (isCrlf ? text.replaceAll('\r\n', '\n') : text)
  const [old, fresh] = [plain(before), plain(after)]
  const { start, end } = commonEnds(old, fresh)
  if (Math.max(old.length, fresh.length) - start - end > MAX_COMPARED) return undefined
  const middle = (text: string): string => text.slice(start, text.length - end)
  const options = { context: CONTEXT_LINES, maxEditLength: MAX_EDITS }
  const patch = structuredPatch('', '', middle(old), middle(fresh), undefined, undefined, options)
  if (!patch) return undefined
  const skipped = countLines(old.slice(0, start))
  const total = countLines(old)
  const width = String(Math.max(total, countLines(fresh))).length
  const rows: string[] = []
  let shownTo = 0
  for (const { oldStart, oldLines, newStart, lines } of patch.hunks) {
    rows.push(...folded(skipped + oldStart - 1 - shownTo))
    rows.push(...numberedRows(lines, { old: skipped + oldStart, fresh: skipped + newStart }, width))
    shownTo = skipped + oldStart - 1 + oldLines
  }
  return [...rows, ...folded(total - shownTo)].join('\n')
}

/** Returns the numbers of equal characters at the beginning and end, less the lines shown as context. */
function commonEnds(old: string, fresh: string): { readonly start: number; readonly end: number } {
  const shorter = Math.min(old.length, fresh.length)
  let start = 0
  while (start < shorter && old.charCodeAt(start) === fresh.charCodeAt(start)) start += 1
  let end = 0
  const codeAt = (text: string): number => text.charCodeAt(text.length - 1 - end)
  while (end < shorter - start && codeAt(old) === codeAt(fresh)) end += 1
  let from = start
  let to = old.length - end
  for (let lines = 0; lines <= CONTEXT_LINES; lines += 1) {
    from = from > 0 ? old.lastIndexOf('\n', from - 1) : -1
    to = to === -1 ? -1 : old.indexOf('\n', to) + 1 || -1
  }
  return { start: from + 1, end: to === -1 ? 0 : old.length - to }
}

function numberedRows(
  lines: readonly string[],
  first: { readonly old: number; readonly fresh: number },
  width: number,
): readonly string[] {
  let { old, fresh } = first
  return lines.map((line) => {
    const mark = line.charAt(0)
    if (mark === '\\') return '(no newline at the end)'
    const number = mark === '-' ? old : fresh
    if (mark !== '+') old += 1
    if (mark !== '-') fresh += 1
    const text = line.slice(1)
    return `${mark} ${String(number).padStart(width)}${text === '' ? '' : `  ${text}`}`
  })
}

const folded = (lines: number): readonly string[] =>
  lines > 0 ? [`… ${counted(lines, 'line')} as before`] : []

function countLines(text: string): number {
  let count = text === '' || text.endsWith('\n') ? 0 : 1
  for (let at = text.indexOf('\n'); at !== -1; at = text.indexOf('\n', at + 1)) count += 1
  return count
}
