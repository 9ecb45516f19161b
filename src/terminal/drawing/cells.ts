import { wcwidth } from 'simple-wcswidth'
import stringWidth from 'string-width'
import { graphemes } from '../../base/text/characters.ts'

/**
 * The most cells that a terminal may give to a text. Terminals disagree about characters of several code
 * points (a family emoji takes two cells or six) and about new ones. If we count too few, the terminal breaks
 * the row, and what follows begins where a speaker's name would.
 */
export function mostCells(text: string): number {
  if (ONE_CELL_EACH.test(text)) return text.length
  return graphemes(text).reduce((sum, character) => sum + mostCellsOf(character), 0)
}

const ONE_CELL_EACH = /^[ -~·…▰▱]*$/

/** A cache: the libraries take microseconds for a character. */
const measured = new Map<string, number>()
const MAX_MEASURED = 8_192
const MAX_KEPT_UNITS = 16

function mostCellsOf(character: string): number {
  const known = measured.get(character)
  if (known !== undefined) return known
  const cells = measure(character)
  if (measured.size >= MAX_MEASURED) measured.clear()
  if (character.length <= MAX_KEPT_UNITS) measured.set(character, cells)
  return cells
}

function measure(character: string): number {
  const together = stringWidth(character)
  const apart = Array.from(character).reduce((sum, point) => sum + mostCellsOfPoint(point), 0)
  return Math.max(together, apart)
}

/** Uses today's Unicode (string-width) and that of 2007 (wcwidth), which xterm.js and others still follow. */
const mostCellsOfPoint = (point: string): number =>
  Math.max(stringWidth(point), wcwidth(point.codePointAt(0) ?? 0))

/** Indexes into a line. The spaces at which the line breaks belong to no row. */
type RowRange = readonly [from: number, to: number]

/** Breaks a line at spaces, else after a slash, else between characters. Takes linear time. */
export function rowRanges(line: string, first: number, later: number): readonly RowRange[] {
  if (!isWider(line, first)) return [[0, line.length]]
  const rows: RowRange[] = []
  let [from, to] = [0, 0]
  let left = first
  let at = 0
  const put = (piece: string, width: number): void => {
    if (width > left && (to > from || (rows.length === 0 && first < later))) {
      rows.push([from, to])
      from = to = at
      left = later
    }
    if (to === from) from = at
    at += piece.length
    to = at
    left -= width
  }
  const putPart = (part: string): void => {
    if (!isWider(part, later)) put(part, mostCells(part))
    else for (const character of graphemes(part)) put(character, mostCells(character))
  }
  for (const word of line.match(/ +|[^ ]+/g) ?? []) {
    if (word.startsWith(' ') && isWider(word, left)) {
      left = 0
      at += word.length
    } else if (!isWider(word, Math.max(left, later))) put(word, mostCells(word))
    else for (const part of partsOf(word)) putPart(part)
  }
  return [...rows, [from, to]]
}

function partsOf(word: string): readonly string[] {
  const parts = ['']
  for (const character of graphemes(word)) {
    parts[parts.length - 1] += character
    if (character === '/') parts.push('')
  }
  return parts
}

export function cutToCells(line: string, cells: number): string {
  if (!isWider(line, cells)) return line
  let [shown, left] = ['', cells]
  for (const character of graphemes(line.slice(0, 2 * cells + 64))) {
    left -= mostCells(character)
    if (left < 0) break
    shown += character
  }
  return shown
}

/** Measures only the beginning first, since splitting a text into characters takes most of the time. */
export function isWider(text: string, cells: number): boolean {
  const enough = 2 * Math.max(0, cells) + 64
  return mostCells(text.slice(0, enough)) > cells || (text.length > enough && mostCells(text) > cells)
}
