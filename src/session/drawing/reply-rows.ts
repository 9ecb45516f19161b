import { billLine } from '../../chat/entry-text.ts'
import type { Entry, ReplyEntry } from '../../chat/entry.ts'
import { codePointAt } from '../../lib/text/characters.ts'
import { cleanText } from '../../lib/text/clean-text.ts'
import type { MarkdownTools } from '../markdown/blocks.ts'
import { createGrowingMarkdown } from '../markdown/growing.ts'
import type { Aspect } from './aspect.ts'
import { model } from './look.ts'
import type { DrawingStyle } from './theme.ts'
import { unitRows } from './unit-rows.ts'
import { HANG, wrapText } from './wrap-text.ts'

/**
 * Of a reply from the past so much is drawn with its Markdown, in UTF-16 units: it is drawn at once, for each width, and
 * nobody else is served meanwhile.
 */
const MAX_MARKDOWN_UNITS = 16_000

/** What a model said, with its Markdown; the rest of one that is very long as it was written. */
export function replyRows(
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
