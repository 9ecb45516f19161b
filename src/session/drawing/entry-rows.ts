/**
 * drawing/ makes rows of cells from entries, drafts, replies and the status, and the bytes that bring a terminal from one
 * screen to the next.
 *
 * It must not know when something is drawn, nor where the bytes go: all of it is functions of what is to be seen.
 */
import type { PersonalMessage } from '../../chat/talk/direct-messages.ts'
import type { Entry } from '../../chat/entry.ts'
import { cleanLine, cleanText } from '../../lib/text/clean-text.ts'
import type { Span, Styled } from '../../lib/text/styled.ts'
import type { NameColour } from '../../chat/personal/preferences.ts'
import type { MarkdownTools } from '../markdown/blocks.ts'
import { type Aspect, aspectKey, labelIn, spansOf, USUAL } from './entry-look.ts'
import { resultRows } from './call-row.ts'
import { withoutSequences } from './region-diff.ts'
import { besideTimes, withTimes } from './time-column.ts'
import { HANG, paintRows, quoteRows } from './spans.ts'
import { billRows, replyRows } from './reply-rows.ts'
import { type ColourOfAuthor, createMemo, type DrawingStyle, styleKey } from './theme.ts'

/** An entry as rows of at most `columns` cells, joined by LF, the last without one. */
export function renderEntry(
  entry: Entry,
  style: DrawingStyle,
  markdown: MarkdownTools,
  aspect: Aspect = USUAL,
  chosen?: NameColour,
): string {
  const beside = besideTimes(style)
  const rows = entryRows(entry, beside, markdown, aspect, chosen)
  return withTimes(rows, style, entry.at).join('\n')
}

function entryRows(
  entry: Entry,
  style: DrawingStyle,
  markdown: MarkdownTools,
  aspect: Aspect,
  chosen?: NameColour,
): readonly string[] {
  if (entry.kind === 'tool_result' && aspect.call) return resultRows(aspect.call, entry, style)
  if (entry.kind === 'reply' && entry.thread === undefined)
    return [...replyRows(entry, style, markdown, aspect), ...billRows(entry, style)]
  const spans = spansOf(entry, aspect, chosen)
  const rows = entry.kind === 'approval' ? questionRows(spans, style, aspect) : paintRows(spans, style)
  return [...rows, ...billRows(entry, style)]
}

/**
 * A question: its first line as it looks, what is asked for as it is, with its mark in every row, so that it cannot be
 * taken for what the room says, and what to type, in bold for whoever may.
 */
function questionRows(
  [question = { text: '' }]: readonly Span[],
  style: DrawingStyle,
  { emphasis }: Aspect,
): readonly string[] {
  const role = emphasis === 'waiting' ? 'heading' : 'system'
  const [first = '', ...lines] = question.text.split('\n')
  const below = lines.flatMap((line) =>
    line.startsWith('| ')
      ? quoteRows(line.slice(2), style.columns)
      : paintRows([{ text: HANG + line, role }], style),
  )
  return [...paintRows([{ ...question, text: first }], style), ...below]
}

/** A message to one person or from them, with its time: who wrote it looks as a name that is called, or as one's own. */
export function renderMessage({ head, text, at, isOwn }: PersonalMessage, style: DrawingStyle): string {
  const label = labelIn(`${cleanLine(head)}: `, { role: isOwn ? 'own' : 'mention' })
  return withTimes(paintRows([...label, { text: cleanText(text) }], besideTimes(style)), style, at).join('\n')
}

/** Text as rows, for the output of commands. A line that is too long goes on in an indented row. */
export function renderText(text: string | Styled, style: DrawingStyle): string {
  const lines: Styled['lines'] =
    typeof text === 'string'
      ? cleanText(text)
          .split('\n')
          .map((line) => [{ text: line }])
      : text.lines.map((spans) =>
          spans.map((span) => ({ ...span, text: cleanText(span.text).replaceAll('\n', ' ') })),
        )
  return lines.flatMap((spans) => paintRows(spans, style)).join('\n')
}

/** Whole rows as they are written to a raw terminal. */
export interface DrawnText {
  /** Rows joined by CR LF, none after the last. */
  readonly text: string
  readonly rows: number
  /** False if some terminal may give a row more cells than the page has, and then break it. */
  readonly isSure: boolean
}

/** Rows joined by LF, each of at most `columns` cells by our count, as they are written. */
export function drawnText(rendered: string, columns: number): DrawnText {
  const rows = rendered.split('\n')
  return { text: rows.join('\r\n'), rows: rows.length, isSure: rows.every((row) => surelyFits(row, columns)) }
}

/** The same for rows. */
export const drawnRows = (rows: readonly string[], columns: number): DrawnText =>
  rows.length === 0 ? { text: '', rows: 0, isSure: true } : drawnText(rows.join('\n'), columns)

/** Several texts, one below the other. */
export const joinTexts = (texts: readonly DrawnText[]): DrawnText => ({
  text: texts.map(({ text }) => text).join('\r\n'),
  rows: rowsOf(texts),
  isSure: texts.every(({ isSure }) => isSure),
})

/** How many rows several texts have together. */
export const rowsOf = (texts: readonly DrawnText[]): number => texts.reduce((sum, { rows }) => sum + rows, 0)

/** What is not ASCII counts two cells a UTF-16 unit: no terminal gives it more, however it takes ambiguous characters. */
function surelyFits(row: string, columns: number): boolean {
  const shown = withoutSequences(row)
  if (shown.length * 2 <= columns) return true
  const ascii = shown.replace(/[^ -~]/g, '').length
  return ascii + 2 * (shown.length - ascii) <= columns
}

/** An entry as it is drawn in a style, for those to whom it is the same. */
export type DrawEntry = (entry: Entry, style: DrawingStyle, aspect?: Aspect) => DrawnText

/**
 * Draws each entry once in each style and aspect, however many sessions show it: a room delivers the same object to all. What was
 * drawn is kept as long as somebody holds the entry. `colourOf` gives the colour of the author's name.
 */
export function createDrawEntry(markdown: () => MarkdownTools, colourOf: ColourOfAuthor): DrawEntry {
  const once = createMemo<DrawnText>()
  return (entry, style, aspect = USUAL) =>
    once(entry, `${styleKey(style)} ${aspectKey(aspect)}`, () =>
      drawnText(renderEntry(entry, style, markdown(), aspect, colourOf(entry)), style.columns),
    )
}
