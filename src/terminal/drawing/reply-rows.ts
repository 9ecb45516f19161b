import { billLine, copiedMark } from '../../words/entry-text.ts'
import type { Entry, ReplyEntry } from '../../words/entry.ts'
import { counted } from '../../base/amounts.ts'
import { codePointAt } from '../../base/text/characters.ts'
import { cleanText } from '../../base/text/clean-text.ts'
import type { LinePrefixes, Unit, UnitBody } from '../markdown/blocks.ts'
import { GrowingMarkdown } from '../markdown/growing.ts'
import type { MarkdownTools } from '../markdown/highlight.ts'
import { type Aspect, modelLabel } from './entry-look.ts'
import type { DrawingStyle, Theme } from './theme.ts'
import { besideTimes, withTimes } from './time-column.ts'
import {
  firstColumns,
  HANGING_INDENT,
  inBold,
  withProseWidth,
  laterStyle,
  paintRows,
  paintSpans,
  textOf,
  withMarks,
  wrapSpans,
  wrapText,
} from './spans.ts'
import type { Span, SpanStyle } from '../../base/text/styled.ts'
import { mostCells } from './cells.ts'
import { tableRow } from './table-rows.ts'

/** UTF-16 units of a past reply that are drawn as Markdown, since drawing blocks the event loop. */
const MAX_MARKDOWN_UNITS = 16_000

export function replyRows(
  entry: ReplyEntry,
  style: DrawingStyle,
  tools: MarkdownTools,
  aspect: Aspect,
  own?: SpanStyle,
): readonly string[] {
  const { units, rest } = readUnits(cleanText(entry.text), tools)
  const label = modelLabel(entry.author, aspect, copiedMark(entry), own)
  const beside = besideTimes(style)
  if (units.length === 0) return withTimes(paintRows(label, beside), style, entry.at)
  const rows = units.flatMap((unit, index) => {
    const lines = unit.body.type === 'fence' ? linesFrom(units, index + 1) : undefined
    return unitRows(unit, style, { lines, ...(index === 0 && { label, at: entry.at }) })
  })
  return [...rows, ...withTimes(unparsedRows(rest, laterStyle(beside)), style)]
}

const linesFrom = (units: readonly Unit[], from: number): number =>
  units.findIndex((unit, index) => index >= from && unit.body.type !== 'code') - from

/** Returns the rows of a block between fences that a person wrote. */
export function codeRows(block: string, style: DrawingStyle, tools: MarkdownTools): readonly string[] {
  const { units, rest } = readUnits(block, tools)
  return [...units.flatMap((unit) => indentedRows(unit, style)), ...unparsedRows(rest, laterStyle(style))]
}

function readUnits(text: string, tools: MarkdownTools) {
  const [drawn, rest] = cutReply(text)
  const markdown = new GrowingMarkdown(tools)
  markdown.add(drawn)
  markdown.finish()
  return { units: markdown.units, rest }
}

function cutReply(text: string): readonly [drawn: string, rest: string] {
  if (text.length <= MAX_MARKDOWN_UNITS) return [text, '']
  const line = text.lastIndexOf('\n', MAX_MARKDOWN_UNITS - 1) + 1
  const at = line > MAX_MARKDOWN_UNITS / 2 ? line : codePointAt(text, MAX_MARKDOWN_UNITS)
  return [text.slice(0, at), text.slice(at)]
}

function unparsedRows(text: string, style: DrawingStyle): readonly string[] {
  if (text.trim() === '') return []
  const note = `${HANGING_INDENT}(it is long: what follows is shown as it was written)`
  const lines = text.trimEnd().split('\n')
  const rows = lines.flatMap((line) =>
    line === '' ? [''] : paintRows([{ text: HANGING_INDENT + line }], style),
  )
  return [...paintRows([{ text: note, role: 'dim' }], style), ...rows]
}

export function billRows(entry: Entry, style: DrawingStyle): readonly string[] {
  const bill = billLine(entry)
  if (bill === '') return []
  const whole = `-- ${bill}`
  const text = mostCells(whole) > style.columns ? whole.replace(' tokens', '') : whole
  return paintRows([{ text, role: 'dim' }], laterStyle(style))
}

const CODE_INDENT = '  '

interface UnitOfReply {
  /** Written before the first row, or above it, after the time `at`. */
  readonly label?: readonly Span[] | undefined
  readonly at?: number | undefined
  /** The number of lines of the code that begins here, if that is known. */
  readonly lines?: number | undefined
}

/** Code between fences stands at the left edge, so that it can be copied. */
export function unitRows(unit: Unit, style: DrawingStyle, reply: UnitOfReply): readonly string[] {
  const { label, at } = reply
  const { lead, body } = unit
  const beside = besideTimes(style)
  const isFenced = body.type === 'fence' || (body.type === 'code' && body.isFenced)
  if (!isFenced || lead.later.trim() !== '') return withTimes(indentedRows(unit, beside, label), style, at)
  const gap = unit.gap ? [''] : []
  const above = label ? paintRows(label, beside) : gap
  const mark = lead.first.trim() === '' ? [] : [HANGING_INDENT + lead.first]
  return [...withTimes([...above, ...mark], style, at), ...fencedRows(body, style, reply)]
}

/** Begins the later rows of a line of code. */
const continuationMark = ({ id, dim }: Theme): string => dim(id === 'mono' ? '> ' : '↪ ')

const LOOKS_LIKE_RULE = /^[\p{Pd}\u2500-\u257f=_~ ]+(?:end|code)/iu

function fencedRows(
  body: Extract<UnitBody, { readonly type: 'fence' | 'code' }>,
  { columns, theme }: DrawingStyle,
  { lines }: UnitOfReply,
): readonly string[] {
  if (body.type === 'fence') {
    const line = theme.id === 'mono' ? '--' : '──'
    const count = lines === undefined ? '' : `, ${counted(lines, 'line')}`
    const name = body.isEnd ? 'end' : `code${count}`
    return wrapText(`${line} ${name}`, columns, HANGING_INDENT).map(theme.dim)
  }
  const code = body.read()
  // A line of the code must not look like the rule at the end of the code.
  const margin = LOOKS_LIKE_RULE.test(textOf(code)) ? HANGING_INDENT : ''
  const width = Math.max(1, columns - HANGING_INDENT.length)
  return wrapSpans(code, margin === '' ? columns : width, width).map(
    (row, index) => (index === 0 ? margin : continuationMark(theme)) + paintSpans(row, theme),
  )
}

function indentedRows(unit: Unit, whole: DrawingStyle, label?: readonly Span[]): readonly string[] {
  const style = unit.body.type === 'text' ? withProseWidth(whole) : whole
  const lead = fitLead(unit.lead, style.columns)
  const width = Math.max(1, style.columns - HANGING_INDENT.length - mostCells(lead.first))
  const labelCells = label ? mostCells(textOf(label)) : 0
  const columns = firstColumns(style)
  const isInline = label && unit.body.type === 'text' && lead.first === '' && labelCells <= columns / 2
  const body = bodyRows(unit, style, width, isInline ? columns - labelCells : width)
  const rows = body.map((row, index) => {
    const mark = index === 0 ? lead.first : lead.later
    if (index === 0 && isInline) return paintSpans(label, style.theme) + row
    return row === '' && mark.trim() === '' ? '' : HANGING_INDENT + paintMark(mark, style) + row
  })
  if (label && !isInline) return [...paintRows(label, style), ...rows]
  return unit.gap && !label ? ['', ...rows] : rows
}

function bodyRows({ body }: Unit, style: DrawingStyle, width: number, first: number): readonly string[] {
  const { theme } = style
  const paint = (row: readonly Span[]): string => paintSpans(row, theme)
  switch (body.type) {
    case 'text': {
      const text = withMarks(body.read(), theme)
      return wrapSpans(body.isHeading ? inBold(text) : text, Math.max(1, first), width).map(paint)
    }
    case 'code': {
      const room = Math.max(1, width - CODE_INDENT.length)
      // Without the hanging indent the rest of a long line would look like a new line.
      return wrapSpans(body.read(), room, Math.max(1, room - HANGING_INDENT.length), HANGING_INDENT).map(
        (row) => {
          const painted = paint(row)
          return painted === '' ? '' : CODE_INDENT + painted
        },
      )
    }
    case 'fence':
      return []
    case 'rule':
      return [theme.dim('-'.repeat(Math.min(width, MAX_RULE)))]
    case 'note':
      return wrapText(body.text, width, '').map((row) => theme.dim(row))
    case 'row':
      return tableRow(body, width, theme)
  }
}

const MAX_RULE = 40

function fitLead({ first, later }: LinePrefixes, columns: number): LinePrefixes {
  const most = Math.floor(columns / 2)
  return first.length <= most ? { first, later } : { first: first.slice(-most), later: later.slice(-most) }
}

const paintMark = (mark: string, { theme }: DrawingStyle): string =>
  mark.includes('>') ? theme.dim(mark.trimEnd()) + ' ' : mark

export function thoughtRow(model: string, thought: string, { columns, theme }: DrawingStyle): string {
  const label = `${model} thinks: … `
  const rows = wrapText(
    cleanText(thought.slice(-4 * columns)).trim(),
    Math.max(1, columns - label.length),
    '',
  )
  return theme.dim(wrapText(`${label}${rows.at(-1) ?? ''}`, columns, '')[0] ?? '')
}
