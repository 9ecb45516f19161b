import { cleanText } from '../lib/clean-text.ts'
import { traceCleanText } from '../lib/trace-clean-text.ts'
import { ArgumentError } from './arguments.ts'

/** The lines of a file with their line ends: what a line feed ends, as every program counts them. */
export const linesOf = (text: string): readonly string[] => text.match(/[^\n]*\n|[^\n]+$/g) ?? []

/**
 * The text of a file as `read_file` shows it: without line ends other than LF and without what cannot be seen. Each line
 * is cleaned by itself, so that a part of a file looks as it does in the whole.
 */
export const showText = (text: string): string => linesOf(text).map(cleanText).join('')

/** One replacement in a file. */
export interface Replacement {
  /** What the file shows now, exactly once. */
  readonly before: string
  readonly after: string
}

/**
 * Replaces what a file shows. All else stays to the last byte: line ends, a byte order mark, what cannot be seen, also
 * inside of what was named where both texts begin or end alike. A new line gets the line end of its neighbour. Neither
 * text is a pattern. Throws `ArgumentError` unless the old text is shown exactly once; `path` is for its message.
 */
export function replaceShown(path: string, text: string, { before, after }: Replacement): string {
  const file = shownFile(text)
  const wanted = showText(before)
  const at = findOnce(path, file, wanted)
  const change = difference(wanted, after.replaceAll('\r\n', '\n'))
  const first = placeOf(file, at + change.start)
  const end = change.end > change.start ? placeOf(file, at + change.end - 1).end : first.start
  const lineEnd = lineEndNear(text, first.start)
  return text.slice(0, first.start) + change.text.replaceAll('\n', lineEnd) + text.slice(end)
}

/** A file line by line. */
interface ShownFile {
  readonly lines: readonly string[]
  /** Each of them as it is shown. */
  readonly shown: readonly string[]
}

function shownFile(text: string): ShownFile {
  const lines = linesOf(text)
  return { lines, shown: lines.map(cleanText) }
}

function findOnce(path: string, file: ShownFile, wanted: string): number {
  if (wanted === '') throw new ArgumentError('old_text has nothing that can be seen')
  const whole = file.shown.join('')
  const at = whole.indexOf(wanted)
  if (at === -1) throw new ArgumentError(`old_text is not in '${path}'; read the file and copy it exactly`)
  const again = whole.indexOf(wanted, at + 1)
  if (again !== -1) {
    const lines = [at, again].map((index) => placeOf(file, index).line)
    throw new ArgumentError(
      `old_text is in '${path}' more than once (lines ${lines.join(' and ')}); take in more around it`,
    )
  }
  return at
}

/** What of a text changes: `start` to `end` becomes `text`. The beginning and the end that stay are as long as can be. */
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

/** The line, and the place in the file itself, of what is shown at `index`. */
function placeOf(
  { lines, shown }: ShownFile,
  index: number,
): { readonly line: number; readonly start: number; readonly end: number } {
  let shownBefore = 0
  let before = 0
  for (const [at, line] of lines.entries()) {
    const length = shown[at]?.length ?? 0
    if (index < shownBefore + length) {
      const traced = traceCleanText(line)
      const inLine = index - shownBefore
      return { line: at + 1, start: before + traced.startOf(inLine), end: before + traced.endOf(inLine) }
    }
    shownBefore += length
    before += line.length
  }
  return { line: lines.length, start: before, end: before }
}

/** The line end of the line at `index`, or of the one before where it has none. */
function lineEndNear(text: string, index: number): '\n' | '\r\n' | '\r' {
  const next = text.indexOf('\n', index)
  const at = next === -1 ? text.lastIndexOf('\n') : next
  if (at === -1) return text.includes('\r') ? '\r' : '\n'
  return text[at - 1] === '\r' ? '\r\n' : '\n'
}
