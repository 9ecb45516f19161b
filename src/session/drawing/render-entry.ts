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
import type { PersonalMessage } from '../../chat/talk/personal-message.ts'
import type { Entry, MessageEntry, ReplyEntry } from '../../chat/entry.ts'
import { codePointAt } from '../../lib/text/characters.ts'
import { cleanText } from '../../lib/text/clean-text.ts'
import type { Span, Styled } from '../../lib/text/styled.ts'
import type { NameColour } from '../../chat/preferences/options.ts'
import type { MarkdownTools } from '../markdown/blocks.ts'
import { createGrowingMarkdown } from '../markdown/growing.ts'
import { USUAL, type Aspect } from './aspect.ts'
import { resultRows } from './call-row.ts'
import { mostCells } from './cells.ts'
import { besideTimes, withTimes } from './margin.ts'
import { quoteRows } from './quote-rows.ts'
import type { DrawingStyle, Theme } from './theme.ts'
import { unitRows } from './unit-rows.ts'
import { wrapText } from './wrap-text.ts'

/** Stands before every row but the first of an entry, so that no text can pose as another speaker. */
const HANG = '  '

/** An entry as rows of at most `columns` cells, joined by LF, the last without one. */
export function renderEntry(
  entry: Entry,
  style: DrawingStyle,
  markdown: MarkdownTools,
  aspect: Aspect = USUAL,
  chosen?: NameColour,
): string {
  const beside = besideTimes(style)
  const rows = rowsOf(entry, beside, markdown, aspect, chosen)
  return withTimes(rows, style, entry.at).join('\n')
}

function rowsOf(
  entry: Entry,
  style: DrawingStyle,
  markdown: MarkdownTools,
  aspect: Aspect,
  chosen?: NameColour,
): readonly string[] {
  if (entry.kind === 'tool_result' && aspect.call) return resultRows(aspect.call, entry, style)
  if (entry.kind === 'reply' && entry.thread === undefined)
    return [...replyRows(entry, style, markdown, aspect), ...billRows(entry, style)]
  return renderRows(entry, style, aspect, chosen).split('\n')
}

function renderRows(entry: Entry, style: DrawingStyle, aspect: Aspect, chosen?: NameColour): string {
  const { label, text, paint } = lookOf(entry, style.theme, aspect, chosen)
  const plain = cleanText(text)
  if (entry.kind === 'approval') return questionRows(label.text + plain, style, aspect, paint).join('\n')
  const rows = wrapText(label.text + plain, style.columns, HANG)
  const painted = rows.map((row, index) => paintRow(row, index === 0 ? label : undefined, paint))
  return [...painted, ...billRows(entry, style)].join('\n')
}

/**
 * Of a reply from the past so much is drawn with its Markdown, in UTF-16 units: it is drawn at once, for each width, and
 * nobody else is served meanwhile.
 */
const MAX_MARKDOWN_UNITS = 16_000

/** What a model said, with its Markdown; the rest of one that is very long as it was written. */
function replyRows(
  entry: ReplyEntry,
  style: DrawingStyle,
  tools: MarkdownTools,
  aspect: Aspect,
): readonly string[] {
  const text = createGrowingMarkdown(tools)
  const [drawn, rest] = cutReply(cleanText(entry.text))
  text.add(drawn)
  text.finish()
  const label = model(entry.author, style.theme, aspect)
  const [first, ...units] = text.units
  if (!first) return [label.paint(label.text).trimEnd()]
  return [
    ...unitRows(first, style, label),
    ...units.flatMap((unit) => unitRows(unit, style)),
    ...asWritten(rest, style),
  ]
}

/** Behind a line, where one ends near enough. */
function cutReply(text: string): readonly [drawn: string, rest: string] {
  if (text.length <= MAX_MARKDOWN_UNITS) return [text, '']
  const line = text.lastIndexOf('\n', MAX_MARKDOWN_UNITS - 1) + 1
  const at = line > MAX_MARKDOWN_UNITS / 2 ? line : codePointAt(text, MAX_MARKDOWN_UNITS)
  return [text.slice(0, at), text.slice(at)]
}

function asWritten(text: string, { columns, theme }: DrawingStyle): readonly string[] {
  if (text.trim() === '') return []
  const note = `${HANG}(it is long: what follows is shown as it was written)`
  const lines = text.trimEnd().split('\n')
  const rows = lines.flatMap((line) => (line === '' ? [''] : wrapText(HANG + line, columns, HANG)))
  return [...wrapText(note, columns, HANG).map((row) => theme.dim(row)), ...rows]
}

/** What a turn cost stands below its end, as the room's own word. */
export function billRows(entry: Entry, { columns, theme }: DrawingStyle): readonly string[] {
  const bill = billLine(entry)
  return bill === '' ? [] : wrapText(`-- ${bill}`, columns, HANG).map((row) => theme.dim(row))
}

/**
 * A question: its first line as `paint` has it, what is asked for as it is, with its mark in every row, so that it cannot be
 * taken for what the room says, and what to type, in bold for whoever may.
 */
function questionRows(
  text: string,
  { columns, theme }: DrawingStyle,
  { emphasis }: Aspect,
  paint: Paint,
): readonly string[] {
  const howTo = emphasis === 'waiting' ? theme.heading : theme.system
  const [first = '', ...lines] = text.split('\n')
  const below = lines.flatMap((line) =>
    line.startsWith('| ')
      ? quoteRows(line.slice(2), columns)
      : wrapText(HANG + line, columns, HANG).map((row) => howTo(row)),
  )
  return [...wrapText(first, columns, HANG).map((row) => paint(row)), ...below]
}

/** A message to one person or from them, with its time: who wrote it looks as a name that is called, or as one's own. */
export function renderMessage({ head, text, at, isOwn }: PersonalMessage, style: DrawingStyle): string {
  const beside = besideTimes(style)
  const label = labelIn(`${cleanText(head)}: `, isOwn ? style.theme.own : style.theme.mention)
  const rows = wrapText(label.text + cleanText(text), beside.columns, HANG)
  return withTimes(
    rows.map((row, index) => paintRow(row, index === 0 ? label : undefined, asIs)),
    style,
    at,
  ).join('\n')
}

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
  return clean.map((span) => paintSpan(span, style.theme)).join('')
}

function paintSpan({ text, tint, role }: Span, theme: Theme): string {
  if (text === '') return ''
  if (role !== undefined) return theme[role](text)
  return tint === undefined ? text : theme.tint(text, tint)
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

function lookOf(entry: Entry, theme: Theme, aspect: Aspect, chosen?: NameColour): Look {
  if (entry.thread !== undefined) return aside(threadLine(entry), theme.tool)
  switch (entry.kind) {
    case 'message':
      return { label: speaker(entry, theme, aspect, chosen), text: entry.text, paint: asIs }
    case 'reply':
      return { label: model(entry.author, theme, aspect), text: entry.text, paint: asIs }
    case 'action':
      return { label: actor(entry, theme, aspect, chosen), text: actionText(entry), paint: asIs }
    case 'presence':
      return aside(entry.text, theme.system)
    case 'notice':
      return aside(entry.text, entry.level === 'error' ? theme.error : theme.system)
    case 'scope':
      return aside(`${entry.author}: ${entry.text}`, theme.system)
    case 'approval':
      return aside(
        `${entry.author}: ${entry.text}`,
        aspect.emphasis === 'waiting' ? theme.waiting : theme.system,
      )
    case 'tool_call':
      return aside(`${entry.author}: ${toolCallLine(entry)}`, theme.tool)
    case 'tool_result':
      return aside(toolResultLine(entry), entry.isError ? theme.error : theme.tool)
    default:
      return entry satisfies never
  }
}

/** In place of a speaker's name, where the line above is theirs too. No later row of a text begins with it. */
const SAME_SPEAKER = '· '

function speaker(
  entry: MessageEntry,
  theme: Theme,
  { emphasis, follows }: Aspect,
  chosen?: NameColour,
): Label {
  const name = cleanText(entry.author)
  const text = follows ? SAME_SPEAKER : `${name}${editedMark(entry)}: `
  return labelIn(text, emphasis ? theme[emphasis] : (label) => theme.person(label, name, chosen))
}

function actor({ author }: Entry, theme: Theme, { emphasis }: Aspect, chosen?: NameColour): Label {
  const name = cleanText(author)
  return labelIn(`* ${name} `, emphasis ? theme[emphasis] : (label) => theme.person(label, name, chosen))
}

const model = (author: string, theme: Theme, { emphasis }: Aspect): Label =>
  labelIn(`${cleanText(author)}: `, emphasis === 'mention' ? theme.mention : theme.model)

/** Without a blank at its end a label stands alone in its row. */
const labelIn = (text: string, paint: Paint): Label => ({
  text,
  paint: (label) => paint(label.trimEnd()) + (label.endsWith(' ') ? ' ' : ''),
})

/** What the room itself says. */
const aside = (text: string, paint: Paint): Look => ({ label: { text: '-- ', paint }, text, paint })

/** On a very narrow page the label itself may be broken; then the row is painted as a whole. */
function paintRow(row: string, label: Label | undefined, paint: Paint): string {
  if (!label?.text || !row.startsWith(label.text)) return row === '' ? '' : paint(row)
  const rest = row.slice(label.text.length)
  return label.paint(label.text) + (rest === '' ? '' : paint(rest))
}
