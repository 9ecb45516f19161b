import { cleanText, traceCleanText } from '../base/text/clean-text.ts'
import { ArgumentError } from './arguments.ts'

/** Splits a file into lines with their line ends. */
export const linesOf = (text: string): readonly string[] => text.match(/[^\n]*\n|[^\n]+$/g) ?? []

interface Replacement {
  readonly before: string
  readonly after: string
}

/**
 * Replaces text as tools show it, sanitized. All other bytes stay, also inside the text if both versions
 * begin or end alike. A new line gets its neighbour's line end. Throws `ArgumentError` unless the old text is
 * shown exactly once.
 */
export function replaceShown(path: string, text: string, { before, after }: Replacement): string {
  const lines = linesOf(text)
  const file = { lines, shown: lines.map(cleanText) }
  const wanted = cleanText(before)
  const at = findOnce(path, file, wanted)
  const change = difference(wanted, after.replaceAll('\r\n', '\n'))
  const placeOf = createPlaces(file)
  const { start } = placeOf(at + change.start)
  const end = change.end > change.start ? placeOf(at + change.end - 1).end : start
  return text.slice(0, start) + change.text.replaceAll('\n', lineEndNear(text, start)) + text.slice(end)
}

interface ShownFile {
  readonly lines: readonly string[]
  /** The same lines, sanitized. */
  readonly shown: readonly string[]
}

function findOnce(path: string, file: ShownFile, wanted: string): number {
  if (wanted === '') throw new ArgumentError('old_text has nothing that can be seen')
  const whole = file.shown.join('')
  const at = whole.indexOf(wanted)
  if (at === -1) throw new ArgumentError(`old_text is not in '${path}'; read the file and copy it exactly`)
  const again = whole.indexOf(wanted, at + 1)
  if (again !== -1) {
    const lines = [at, again].map((index) => lineAt(file, index).line)
    throw new ArgumentError(
      `old_text is in '${path}' more than once (lines ${lines.join(' and ')}); take in more around it`,
    )
  }
  return at
}

/** Returns the shortest `text` to put between `start` and `end`. */
function difference(
  before: string,
  after: string,
): { readonly start: number; readonly end: number; readonly text: string } {
  const shorter = Math.min(before.length, after.length)
  let start = 0
  while (start < shorter && before[start] === after[start]) start += 1
  let same = 0
  while (same < shorter - start && before.at(-1 - same) === after.at(-1 - same)) same += 1
  return { start, end: before.length - same, text: after.slice(start, after.length - same) }
}

/** Maps an index of the shown text to the file. Traces a line once, because most changes are in one line. */
function createPlaces(file: ShownFile): (index: number) => { readonly start: number; readonly end: number } {
  let line = -1
  let traced = traceCleanText('')
  return (index) => {
    const found = lineAt(file, index)
    if (found.line !== line) traced = traceCleanText(file.lines[found.line - 1] ?? '')
    line = found.line
    const inLine = index - found.shownBefore
    return { start: found.before + traced.startOf(inLine), end: found.before + traced.endOf(inLine) }
  }
}

/** Returns the line (1-based) of a shown index, and the lengths before it. */
function lineAt({ lines, shown }: ShownFile, index: number) {
  let shownBefore = 0
  let before = 0
  for (const [at, text] of shown.entries()) {
    if (index < shownBefore + text.length) return { line: at + 1, shownBefore, before }
    shownBefore += text.length
    before += lines[at]?.length ?? 0
  }
  return { line: lines.length + 1, shownBefore, before }
}

function lineEndNear(text: string, index: number): '\n' | '\r\n' | '\r' {
  const next = text.indexOf('\n', index)
  const at = next === -1 ? text.lastIndexOf('\n') : next
  if (at === -1) return text.includes('\r') ? '\r' : '\n'
  return text[at - 1] === '\r' ? '\r\n' : '\n'
}
