import { mostCells, rowRanges } from './cells.ts'
import { safeAddress } from '../../base/addresses.ts'
import type { Span } from '../../base/text/styled.ts'
import type { DrawingStyle, Theme } from './theme.ts'
import { graphemes } from '../../base/text/characters.ts'

const withoutTabs = (spans: readonly Span[]): readonly Span[] =>
  spans.map((one) => (one.text.includes('\t') ? { ...one, text: one.text.replaceAll('\t', '    ') } : one))

export const textOf = (spans: readonly Span[]): string => spans.map(({ text }) => text).join('')

export const cellsOf = (spans: readonly Span[]): number =>
  Math.max(0, ...textOf(spans).split('\n').map(mostCells))

/** Wraps like `wrapText`. The first row has `first` cells, later rows have `later` cells after `hang`. */
export function wrapSpans(
  spans: readonly Span[],
  first: number,
  later: number,
  hang = '',
): readonly (readonly Span[])[] {
  const whole = withoutTabs(spans)
  const slice = slicer(whole)
  const rows: (readonly Span[])[] = []
  let begin = 0
  for (const line of textOf(whole).split('\n')) {
    for (const [from, to] of rowRanges(line, rows.length === 0 ? first : later, later)) {
      const row = slice(begin + from, begin + from + line.slice(from, to).trimEnd().length)
      rows.push(rows.length === 0 ? row : indent(row, hang))
    }
    begin += line.length + 1
  }
  return rows
}

const indent = ([begin, ...rest]: readonly Span[], hang: string): readonly Span[] =>
  begin === undefined
    ? []
    : begin.underline || begin.link !== undefined
      ? [{ text: hang }, begin, ...rest]
      : [{ ...begin, text: hang + begin.text }, ...rest]

/** Returns a slice function, which must be called for the ranges in order. */
function slicer(spans: readonly Span[]): (from: number, to: number) => readonly Span[] {
  let index = 0
  let start = 0
  return (from, to) => {
    const found: Span[] = []
    if (from === to) return found
    for (;;) {
      const one = spans[index]
      if (!one || start >= to) return found
      const end = start + one.text.length
      if (end > from) found.push({ ...one, text: one.text.slice(Math.max(0, from - start), to - start) })
      if (end > to) return found
      index += 1
      start = end
    }
  }
}

const hasColour = ({ id }: Theme): boolean => id !== 'mono'

/** Puts SGR (ECMA-48 8.3.117) around a span that is not plain. */
function paintSpan(span: Span, theme: Theme): string {
  const { strong, emphasis, underline, strike } = span
  const marks = [strong && '1', emphasis && '3', underline && '4', strike && '9']
  const codes = [...marks, inkOf(span, theme)].filter(Boolean).join(';')
  return codes === '' || span.text === '' ? span.text : `\u001b[${codes}m${span.text}\u001b[0m`
}

function inkOf({ link, code, role, tint }: Span, { codes, tints, modelTints }: Theme): string | undefined {
  if (link !== undefined) return codes.link
  if (code) return codes.code
  if (role === 'model' && tint !== undefined) return modelTints[tint % modelTints.length]
  if (role) return codes[role]
  return tint === undefined ? undefined : tints[tint % tints.length]
}

export function paintSpans(spans: readonly Span[], theme: Theme): string {
  let painted = ''
  let linked: string | undefined
  for (const span of spans) {
    const link = hasColour(theme) ? span.link : undefined
    if (link !== linked) painted += linkTo(link)
    linked = link
    painted += paintSpan(span, theme)
  }
  return linked === undefined ? painted : painted + linkTo(undefined)
}

/** Begins a link, or ends one (https://gist.github.com/egmontkob/eb114294efbcd5adb1944c9f3cb5feda). */
const linkTo = (address = ''): string => `\u001b]8;;${address}\u001b\\`

const ADDRESS = /https?:\/\/[^\s<>"]*[^\s<>".,:;!?'()[\]{}]/gu

/** Turns the addresses in a text into links. */
export function linkSpans(text: string): readonly Span[] {
  const spans: Span[] = []
  let at = 0
  for (const { index, 0: found } of text.matchAll(ADDRESS)) {
    const link = safeAddress(found)
    if (link === undefined) continue
    if (index > at) spans.push({ text: text.slice(at, index) })
    spans.push({ text: found, link })
    at = index + found.length
  }
  return at < text.length || at === 0 ? [...spans, { text: text.slice(at) }] : spans
}

export const withMarks = (spans: readonly Span[], theme: Theme): readonly Span[] =>
  hasColour(theme) ? spans : spans.map((one) => (one.code ? { ...one, text: `\`${one.text}\`` } : one))

export const inBold = (spans: readonly Span[]): readonly Span[] =>
  spans.map((span) => ({ ...span, strong: true }))

/** Begins every later row of an entry, so that no text can pose as another speaker. */
export const HANGING_INDENT = '  '

/** Returns rows of at most `width` cells, broken as by `rowRanges`. Tabs become spaces. */
export const wrapText = (text: string, width: number, hang: string): readonly string[] =>
  wrapSpans([{ text }], width, Math.max(1, width - mostCells(hang)), hang).map(textOf)

export const paintRows = (spans: readonly Span[], style: DrawingStyle): readonly string[] =>
  wrapSpans(
    spans,
    firstColumns(style),
    Math.max(1, style.columns - HANGING_INDENT.length),
    HANGING_INDENT,
  ).map((row) => paintSpans(row, style.theme))

export const firstColumns = ({ columns, timeCells = 0 }: DrawingStyle): number =>
  Math.max(1, columns - timeCells)

/** The style of rows that do not begin with a time. */
export const laterStyle = (style: DrawingStyle): DrawingStyle =>
  style.timeCells === undefined ? style : { ...style, timeCells: undefined }

/** Longer rows of prose are hard to read. */
const PROSE_COLUMNS = 100

export const withProseWidth = (style: DrawingStyle): DrawingStyle =>
  style.columns > PROSE_COLUMNS ? { ...style, columns: PROSE_COLUMNS } : style

const FIRST_MARK = '  | '
const NEXT_MARK = '  : '

/**
 * Draws a line that people judge before it runs. Each row has a mark and keeps its blanks, so that no row can
 * pose as text of the server.
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
