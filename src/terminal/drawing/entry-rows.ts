/**
 * drawing/ makes rows of cells from entries, drafts, replies and the status, and the bytes that bring a
 * terminal from one screen to the next. It must not know when something is drawn, nor where the bytes go.
 */
import { MOST_LINES, isLongText } from '../../words/entry-text.ts'
import type { Entry, MessageEntry } from '../../words/entry.ts'
import type { PersonalMessage } from '../../chat/talk/index.ts'
import { cleanLine, cleanText } from '../../base/text/clean-text.ts'
import type { Span, SpanStyle, StyledText } from '../../base/text/styled.ts'
import type { MarkdownTools } from '../markdown/highlight.ts'
import { cutToCells, mostCells } from './cells.ts'
import { drawnText, type DrawnText } from './drawn-text.ts'
import { type Aspect, aspectKey, labelSpans, spansOf, USUAL } from './entry-look.ts'
import { resultRows } from './call-row.ts'
import { besideTimes, isNarrow, withTimes } from './time-column.ts'
import {
  firstColumns,
  HANGING_INDENT,
  withProseWidth,
  laterStyle,
  linkSpans,
  paintRows,
  paintSpans,
  quoteRows,
  textOf,
  wrapSpans,
} from './spans.ts'
import { billRows, codeRows, replyRows } from './reply-rows.ts'
import { type StyleOfAuthor, createMemo, type DrawingStyle, styleKey } from './theme.ts'

/** Returns rows joined by LF. */
export function renderEntry(
  entry: Entry,
  style: DrawingStyle,
  markdown: MarkdownTools,
  aspect: Aspect = USUAL,
  own?: SpanStyle,
): string {
  if (entry.kind === 'reply' && entry.thread === undefined) {
    const bill = withTimes(billRows(entry, besideTimes(style)), style)
    return [...foldPast(replyRows(entry, style, markdown, aspect, own), style, aspect), ...bill].join('\n')
  }
  const isQuestion = entry.kind === 'approval' && aspect.emphasis === 'waiting'
  // A time in the first row alone would break the question's margin. The row of its call has the time, too.
  const timed = isQuestion && isNarrow(style) ? { ...style, times: undefined } : style
  const rows = entryRows(entry, besideTimes(timed), markdown, aspect, own)
  return withTimes(rows, timed, entry.at).join('\n')
}

function entryRows(
  entry: Entry,
  style: DrawingStyle,
  markdown: MarkdownTools,
  aspect: Aspect,
  own?: SpanStyle,
): readonly string[] {
  if (entry.kind === 'tool_result' && aspect.call) return resultRows(aspect.call, entry, style)
  if (entry.kind === 'message' && isLongText(entry)) return foldedRows(entry, style, markdown, aspect, own)
  const spans = spansOf(entry, aspect, own)
  if (entry.kind === 'message' && entry.thread === undefined)
    return messageRows(spans, entry, style, markdown)
  if (entry.kind === 'approval') return questionRows(spans, style, aspect)
  if (entry.kind === 'tool_call' || entry.kind === 'tool_result') return paintRows(spans, style)
  return [...proseRows(spans, style), ...billRows(entry, style)]
}

/** A block of code: from a line of ``` to the next such line, or to the end of the text. */
const FENCED = /^(`{3,})[^`\n]*$(?:[^]*?^\1`*[ \t]*$|[^]*)/gm

/** Shows people's Markdown as typed, except that code between fences is drawn as code. */
function messageRows(
  spans: readonly Span[],
  { text }: MessageEntry,
  style: DrawingStyle,
  markdown: MarkdownTools,
): readonly string[] {
  const shown = cleanText(text)
  const label = spans.slice(0, -1)
  const rows: string[] = []
  let at = 0
  const addProse = (to: number): void => {
    const prose = shown.slice(at, to).replace(/^\n|\n$/g, '')
    if (at === 0) rows.push(...proseRows([...label, ...linkSpans(prose)], style))
    else if (prose !== '') rows.push(...paintRows(linkSpans(HANGING_INDENT + prose), laterStyle(style)))
  }
  for (const { index, 0: code } of shown.matchAll(FENCED)) {
    addProse(index)
    rows.push(...codeRows(code, style, markdown))
    at = index + code.length
  }
  addProse(shown.length)
  return rows
}

/** Limits the width of one line, but not of several lines, which were pasted. */
const proseRows = (spans: readonly Span[], style: DrawingStyle): readonly string[] =>
  paintRows(spans, textOf(spans).includes('\n') ? style : withProseWidth(style))

const FOLDED_LINES = 8

function foldPast(rows: readonly string[], style: DrawingStyle, { isPast }: Aspect): readonly string[] {
  if (!isPast || rows.length <= MOST_LINES) return rows
  const note = `${HANGING_INDENT}… ${rows.length - FOLDED_LINES} more rows: /history`
  const last = paintRows([{ text: note, role: 'dim' }], laterStyle(besideTimes(style)))
  return [...rows.slice(0, FOLDED_LINES), ...withTimes(last, style)]
}

function foldedRows(
  entry: MessageEntry,
  style: DrawingStyle,
  markdown: MarkdownTools,
  aspect: Aspect,
  own?: SpanStyle,
): readonly string[] {
  const lines = entry.text.split('\n')
  const head = { ...entry, text: lines.slice(0, FOLDED_LINES).join('\n') }
  const note = `${HANGING_INDENT}… ${lines.length - FOLDED_LINES} more lines: /history paste`
  return [
    ...messageRows(spansOf(head, aspect, own), head, style, markdown),
    ...paintRows([{ text: note, role: 'dim' }], laterStyle(style)),
  ]
}

/**
 * Draws a permission question with a margin on every row, so that the quoted arguments cannot pose as text of
 * the server. Only a question to the viewer has a coloured margin, and bold arguments and commands.
 */
function questionRows(
  [question = { text: '' }]: readonly Span[],
  style: DrawingStyle,
  { emphasis }: Aspect,
): readonly string[] {
  const { columns, theme } = style
  const isMine = emphasis === 'waiting'
  const margin = isMine ? `${theme.waiting(' ')} ` : HANGING_INDENT
  const width = Math.max(1, columns - HANGING_INDENT.length)
  const rowsOf = (spans: readonly Span[], firstWidth = width): readonly string[] =>
    wrapSpans(spans, firstWidth, Math.max(1, width - HANGING_INDENT.length), HANGING_INDENT).map(
      (row) => margin + paintSpans(row, theme),
    )
  const [first = '', ...lines] = question.text.split('\n')
  // The status line calls for the answer; the history keeps the question after it was answered.
  const head = isMine
    ? rowsOf(
        [{ text: first.replace(/^-- /, ''), role: 'heading' }],
        Math.max(1, firstColumns(style) - HANGING_INDENT.length),
      )
    : paintRows([{ ...question, text: first }], style)
  const below = lines.flatMap((line) => {
    if (line.startsWith('| ')) {
      const rows = quoteRows(line.slice(2), columns).map((row) => row.slice(HANGING_INDENT.length))
      return rows.map((row) => margin + (isMine ? theme.heading(row) : row))
    }
    const typed = isMine && /^(?:\/|y ·|\d+ ·)/.test(line) ? line.search(/ – |$/) : 0
    return rowsOf([
      { text: line.slice(0, typed), role: 'heading' },
      isMine ? { text: line.slice(typed) } : { text: line, role: 'system' },
    ])
  })
  return [...head, ...below]
}

/** Draws a room's heading, `-- den: topic` in a pipe, as a rule: `── den · topic ────`. */
export function renderHeading(heading: string, style: DrawingStyle): string {
  const { columns, theme } = withProseWidth(style)
  // Terminals with few colours may have no more than ASCII.
  const line = theme.id === 'mono' ? '-' : '─'
  const text = cleanLine(heading).replace(/^-- /, '').replace(': ', ' · ')
  const rule = (cells: number): string => theme.dim(line.repeat(cells))
  const free = columns - mostCells(text) - 4
  if (free < 1) return paintRows([{ text: `${line}${line} ${text}`, role: 'heading' }], style).join('\n')
  return `${rule(2)}${theme.heading(` ${text} `)}${rule(free)}`
}

export function renderMessage(message: PersonalMessage, style: DrawingStyle): string {
  const { head, text, at, isOwn, isOneRow } = message
  const start = `${cleanLine(head)}: `
  const beside = besideTimes(style)
  const space = Math.max(1, firstColumns(withProseWidth(beside)) - mostCells(start))
  const shown = isOneRow && mostCells(text) > space ? `${cutToCells(text, space - 1)}…` : text
  const label = labelSpans(start, { role: isOwn ? 'own' : 'mention' })
  return withTimes(proseRows([...label, ...linkSpans(cleanText(shown))], beside), style, at).join('\n')
}

export function renderText(text: string | StyledText, style: DrawingStyle): string {
  const lines: StyledText['lines'] =
    typeof text === 'string'
      ? cleanText(text)
          .split('\n')
          .map((line) => [{ text: line }])
      : text.lines.map((spans) =>
          spans.map((span) => ({ ...span, text: cleanText(span.text).replaceAll('\n', ' ') })),
        )
  return lines.flatMap((spans) => paintRows(spans, style)).join('\n')
}

export type DrawEntry = (entry: Entry, style: DrawingStyle, aspect?: Aspect) => DrawnText

/** Draws each entry once in each style and aspect. */
export function createDrawEntry(markdown: () => MarkdownTools, styleOf: StyleOfAuthor): DrawEntry {
  const once = createMemo<DrawnText>()
  return (entry, style, aspect = USUAL) =>
    once(entry, `${styleKey(style)} ${aspectKey(aspect)}`, () =>
      drawnText(renderEntry(entry, style, markdown(), aspect, styleOf(entry)), style.columns),
    )
}
