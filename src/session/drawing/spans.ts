import type { CodeRole, InlineLook, Stretch } from '../markdown/inline.ts'
import { mostCells, rowRanges } from './cells.ts'
import type { TextRole } from '../../lib/text/styled.ts'
import type { Theme } from './theme.ts'
import { graphemes } from '../../lib/text/graphemes.ts'

/** Stretches with four spaces for a tab. */
const withoutTabs = (stretches: readonly Stretch[]): readonly Stretch[] =>
  stretches.map((one) =>
    one.text.includes('\t') ? { ...one, text: one.text.replaceAll('\t', '    ') } : one,
  )

export const textOf = (stretches: readonly Stretch[]): string => stretches.map(({ text }) => text).join('')

/** The cells of the widest line. */
export const cellsOf = (stretches: readonly Stretch[]): number =>
  Math.max(0, ...textOf(stretches).split('\n').map(mostCells))

/** Stretches as rows, as `wrapText` breaks their text; no row has a blank at its end. */
export function wrapStretches(
  stretches: readonly Stretch[],
  first: number,
  later: number,
): readonly (readonly Stretch[])[] {
  const whole = withoutTabs(stretches)
  const slice = slicer(whole)
  const rows: (readonly Stretch[])[] = []
  let begin = 0
  for (const line of textOf(whole).split('\n')) {
    for (const [from, to] of rowRanges(line, rows.length === 0 ? first : later, later))
      rows.push(slice(begin + from, begin + from + line.slice(from, to).trimEnd().length))
    begin += line.length + 1
  }
  return rows
}

/** Gives parts of stretches, each of which begins behind the one before. */
function slicer(stretches: readonly Stretch[]): (from: number, to: number) => readonly Stretch[] {
  let index = 0
  /** Where the stretch at `index` begins. */
  let start = 0
  return (from, to) => {
    const found: Stretch[] = []
    for (;;) {
      const one = stretches[index]
      if (!one || start >= to) return found
      const end = start + one.text.length
      if (end > from) found.push({ ...one, text: one.text.slice(Math.max(0, from - start), to - start) })
      if (end > to) return found
      index += 1
      start = end
    }
  }
}

/** What a theme has no part for is written as text is. */
const ROLES: Readonly<Record<CodeRole, TextRole>> = {
  comment: 'dim',
  keyword: 'heading',
  literal: 'code',
  string: 'code',
}

function paintStretch({ text, look }: Stretch, theme: Theme): string {
  if (text === '') return ''
  const role = roleOf(look)
  const codes = codesOf(look)
  const painted = role ? theme[role](text) : text
  if (codes === '') return painted
  return `\u001b[${codes}m${painted}${painted === text ? '\u001b[0m' : ''}`
}

function roleOf({ address, code, role }: InlineLook): TextRole | undefined {
  if (address !== undefined) return 'link'
  return code ? 'code' : role && ROLES[role]
}

/** The codes of SGR for what is no role (ECMA-48 8.3.117). */
const codesOf = ({ strong, emphasis, strike, underline }: InlineLook): string =>
  [
    ...(strong ? ['1'] : []),
    ...(emphasis ? ['3'] : []),
    ...(underline ? ['4'] : []),
    ...(strike ? ['9'] : []),
  ].join(';')

const hasColour = ({ id }: Theme): boolean => id !== 'mono'

/** Stretches as they are written, those that are links with their addresses (OSC 8). */
export function paintStretches(stretches: readonly Stretch[], theme: Theme): string {
  let painted = ''
  let linked: string | undefined
  for (const stretch of stretches) {
    const address = hasColour(theme) ? stretch.look.address : undefined
    if (address !== linked) painted += linkTo(address)
    linked = address
    painted += paintStretch(stretch, theme)
  }
  return linked === undefined ? painted : painted + linkTo(undefined)
}

/** Begins a link, or ends one (https://gist.github.com/egmontkob/eb114294efbcd5adb1944c9f3cb5feda). */
const linkTo = (address = ''): string => `\u001b]8;;${address}\u001b\\`

/** Where there is no colour to tell code by, it keeps its marks. */
export const withMarks = (stretches: readonly Stretch[], theme: Theme): readonly Stretch[] =>
  hasColour(theme)
    ? stretches
    : stretches.map((one) => (one.look.code ? { ...one, text: `\`${one.text}\`` } : one))

/** The same in bold. */
export const inBold = (stretches: readonly Stretch[]): readonly Stretch[] =>
  stretches.map(({ text, look }) => ({ text, look: { ...look, strong: true } }))

/** Stands before every row but the first of an entry, so that no text can pose as another speaker. */
export const HANG = '  '

/**
 * Breaks text into rows of at most `width` cells, at spaces where it can, else between characters. Every
 * row but the first begins with `hang`, so that no row of a text looks like the beginning of another. Tabs
 * become spaces. Never throws; takes linear time.
 */
export function wrapText(text: string, width: number, hang: string): string[] {
  const hanging = Math.max(1, width - mostCells(hang))
  const rows: string[] = []
  for (const line of text.replaceAll('\t', '    ').split('\n')) {
    const ranges = rowRanges(line, rows.length === 0 ? width : hanging, hanging)
    const isWhole = ranges.length === 1 && ranges[0]?.[1] === line.length
    if (isWhole) rows.push(line)
    else for (const [from, to] of ranges) rows.push(line.slice(from, to).trimEnd())
  }
  return rows.map((row, index) => (index === 0 || row === '' ? row : hang + row))
}

const FIRST_MARK = '  | '
const NEXT_MARK = '  : '

/**
 * A line that people judge before it runs, as rows of at most `width` cells behind a mark each: `|` where the line
 * begins, `:` where it goes on. No blank of it is lost, and no row of it can be taken for what the room says.
 */
export function quoteRows(line: string, width: number): string[] {
  const free = Math.max(1, width - FIRST_MARK.length)
  const rows = ['']
  let left = free
  for (const character of graphemes(line.replaceAll('\t', '    '))) {
    const cells = mostCells(character)
    if (cells > left && rows.at(-1) !== '') {
      rows.push('')
      left = free
    }
    rows[rows.length - 1] += character
    left -= cells
  }
  return rows.map((row, index) => (index === 0 ? FIRST_MARK : NEXT_MARK) + row)
}
