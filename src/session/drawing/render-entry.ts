/**
 * drawing/ makes rows of cells from entries, drafts, replies and the status, and the bytes that bring a terminal from one
 * screen to the next.
 *
 * It must not know when something is drawn, nor where the bytes go: all of it is functions of what is to be seen.
 */
import {
  actionText,
  billLine,
  editedMark,
  threadLine,
  toolCallLine,
  toolResultLine,
} from '../../chat/entry-text.ts'
import type { Entry } from '../../chat/entry.ts'
import { cleanText } from '../../lib/text/clean-text.ts'
import type { Span, Styled } from '../../lib/text/styled.ts'
import { mostCells } from './cells.ts'
import { quoteRows } from './quote-rows.ts'
import type { DrawingStyle, Theme } from './theme.ts'
import { wrapText } from './wrap-text.ts'

/** Stands before every row but the first of an entry, so that no text can pose as another speaker. */
const HANG = '  '

/** An entry as rows of at most `columns` cells, joined by LF, the last without one. */
export function renderEntry(entry: Entry, style: DrawingStyle): string {
  const { label, text, paint } = lookOf(entry, style.theme)
  const plain = cleanText(text)
  const rowsOf = entry.kind === 'approval' ? approvalRows : wrapText
  const rows = rowsOf(label.text + plain, style.columns, HANG)
  const painted = rows.map((row, index) => paintRow(row, index === 0 ? label : undefined, paint))
  return [...painted, ...billRows(entry, style)].join('\n')
}

/** What a turn cost stands below its end, as the room's own word. */
function billRows(entry: Entry, { columns, theme }: DrawingStyle): readonly string[] {
  const bill = billLine(entry)
  return bill === '' ? [] : wrapText(`-- ${bill}`, columns, HANG).map((row) => theme.dim(row))
}

/** Like `wrapText`, but what is asked for keeps its mark in every row, so that it cannot be taken for what the room says. */
const approvalRows: typeof wrapText = (text, columns, hang) =>
  text
    .split('\n')
    .flatMap((line, index) =>
      line.startsWith('| ')
        ? quoteRows(line.slice(2), columns)
        : wrapText(index === 0 ? line : hang + line, columns, hang),
    )

/** Text as rows, for the output of commands. A line that is too long goes on in an indented row, without its colours. */
export function renderText(text: string | Styled, style: DrawingStyle): string {
  if (typeof text !== 'string') return text.lines.map((spans) => renderLine(spans, style)).join('\n')
  return cleanText(text)
    .split('\n')
    .flatMap((line) => wrapText(line, style.columns, HANG))
    .join('\n')
}

function renderLine(spans: readonly Span[], style: DrawingStyle): string {
  const clean = spans.map((span) => ({ ...span, text: cleanText(span.text).replaceAll('\n', ' ') }))
  const plain = clean.map((span) => span.text).join('')
  if (mostCells(plain) > style.columns) return renderText(plain, style)
  return clean
    .map(({ text, tint }) => (tint === undefined || text === '' ? text : style.theme.tint(text, tint)))
    .join('')
}

type Paint = (text: string) => string

interface Label {
  readonly text: string
  readonly paint: Paint
}

interface Look {
  readonly label: Label
  readonly text: string
  readonly paint: Paint
}

const asIs: Paint = (text) => text

function lookOf(entry: Entry, theme: Theme): Look {
  const { dim } = theme
  if (entry.thread !== undefined) return aside(threadLine(entry), dim)
  switch (entry.kind) {
    case 'message':
      return { label: speaker(entry.author, theme, editedMark(entry)), text: entry.text, paint: asIs }
    case 'reply':
      return { label: speaker(entry.author, theme), text: entry.text, paint: asIs }
    case 'action':
      return { label: actor(entry.author, theme), text: actionText(entry), paint: asIs }
    case 'presence':
      return aside(entry.text, dim)
    case 'notice':
      return aside(entry.text, entry.level === 'error' ? theme.error : dim)
    case 'scope':
    case 'approval':
      return aside(`${entry.author}: ${entry.text}`, dim)
    case 'tool_call':
      return aside(`${entry.author}: ${toolCallLine(entry)}`, dim)
    case 'tool_result':
      return aside(toolResultLine(entry), entry.isError ? theme.error : dim)
    default:
      return entry satisfies never
  }
}

function speaker(author: string, theme: Theme, mark = ''): Label {
  const name = cleanText(author)
  return { text: `${name}${mark}: `, paint: (label) => theme.name(label.trimEnd(), name) + ' ' }
}

function actor(author: string, theme: Theme): Label {
  const name = cleanText(author)
  return { text: `* ${name} `, paint: (label) => theme.name(label.trimEnd(), name) + ' ' }
}

/** What the room itself says. */
const aside = (text: string, paint: Paint): Look => ({ label: { text: '-- ', paint }, text, paint })

/** On a very narrow page the label itself may be broken; then the row is painted as a whole. */
function paintRow(row: string, label: Label | undefined, paint: Paint): string {
  if (!label?.text || !row.startsWith(label.text)) return row === '' ? '' : paint(row)
  const rest = row.slice(label.text.length)
  return label.paint(label.text) + (rest === '' ? '' : paint(rest))
}
