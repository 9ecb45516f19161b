// The lines of an entry that a search found, with the words marked.
import { wholeText } from '../../words/entry-text.ts'
import type { Entry } from '../../words/entry.ts'
import { type Place, findPlaces, type SearchPhrase } from '../../chat/text/index.ts'
import { characterAt } from '../../base/text/characters.ts'
import type { Span, SpanStyle, StyledText } from '../../base/text/styled.ts'
import { type NameStyles, personNameStyle } from '../../chat/personal/index.ts'

const MOST_LINES = 3

/** Limit of a longer line's UTF-16 units around its first hit. */
const MOST_UNITS = 240
/** Limit of a longer line's UTF-16 units before its first hit. */
const UNITS_BEFORE = 60

/** Returns the author and at most three lines with most of the phrases. `…` marks omitted text. */
export function hitLines(entry: Entry, phrases: readonly SearchPhrase[], names: NameStyles): StyledText {
  const text = wholeText(entry)
  const label = entry.kind === 'tool_call' ? '' : wholeText({ ...entry, text: '' })
  const begin = text.length - text.slice(label.length).trimStart().length
  const places = findPlaces(phrases, text)
  const lines = linesFrom(text, begin)
  const found = lines.filter((line) => places.some((place) => overlap(place, line)))
  const counts = found.map(({ from, to }) => {
    const line = text.slice(from, to)
    return phrases.filter((phrase) => findPlaces([phrase], line).length > 0).length
  })
  const most = Math.max(0, ...counts)
  const best = found.filter((_, index) => counts[index] === most).slice(0, MOST_LINES)
  const shown = best.length === 0 ? lines.slice(0, 1) : best
  const windows = shown.map((line) => windowOf(text, line, places))
  const rows = windows.map((window, index): readonly Span[] => {
    const before = index === 0 ? begin : (windows[index - 1]?.to ?? 0) + 1
    const end = index === windows.length - 1 ? text.length : window.to
    return [
      { text: (index === 0 ? '' : '  ') + (window.from > before ? '… ' : '') },
      ...partsOf(text, window, entry.kind === 'reply').flatMap((part) => markPlaces(text, part, places)),
      { text: window.to < end ? ' …' : '' },
    ]
  })
  const head = markPlaces(text, { from: 0, to: label.length, style: nameStyle(entry, names) }, places)
  const side = entry.thread === undefined ? '' : '(side turn) '
  return {
    lines: rows.map((row, index) => {
      const spans = index === 0 ? [{ text: side }, ...head, { text: label === '' ? '' : ' ' }, ...row] : row
      return spans.filter((span) => span.text !== '')
    }),
  }
}

function linesFrom(text: string, begin: number): readonly Place[] {
  let from = begin
  return text
    .slice(begin)
    .split('\n')
    .map((line) => {
      const place = { from, to: from + line.length }
      from = place.to + 1
      return place
    })
}

const overlap = (one: Place, other: Place): boolean => one.from < other.to && other.from < one.to

function windowOf(text: string, line: Place, places: readonly Place[]): Place {
  if (line.to - line.from <= MOST_UNITS) return line
  const hit = places.find((place) => overlap(place, line))?.from ?? line.from
  const from = Math.max(line.from, Math.min(hit - UNITS_BEFORE, line.to - MOST_UNITS))
  return { from: characterAt(text, from), to: characterAt(text, Math.min(line.to, from + MOST_UNITS)) }
}

function nameStyle({ kind, author }: Entry, names: NameStyles): SpanStyle {
  if (kind === 'reply') return names.modelStyle(author)
  return kind === 'message' || kind === 'action' ? personNameStyle(author, names.colourOf(author)) : {}
}

interface StyledPlace extends Place {
  readonly style?: SpanStyle
}

const CODE_OR_STRONG = /(`)([^`\n]+)`|(\*\*)(\S(?:[^*\n]*\S)?)\*\*/g

/** Returns the parts of a line without the Markdown marks of code and strong words. */
function partsOf(text: string, { from, to }: Place, isMarkdown: boolean): readonly StyledPlace[] {
  const parts: StyledPlace[] = []
  let at = from
  const marks = isMarkdown ? text.slice(from, to).matchAll(CODE_OR_STRONG) : []
  for (const { index, 0: whole, 1: tick, 2: code, 4: strong = '' } of marks) {
    const begin = from + index
    const inner = begin + (tick ?? '**').length
    parts.push(
      { from: at, to: begin },
      {
        from: inner,
        to: inner + (code ?? strong).length,
        style: code === undefined ? { strong: true } : { code: true },
      },
    )
    at = begin + whole.length
  }
  return [...parts, { from: at, to }]
}

function markPlaces(
  text: string,
  { from, to, style }: StyledPlace,
  places: readonly Place[],
): readonly Span[] {
  const spans: Span[] = []
  let at = from
  for (const place of places.filter((one) => overlap(one, { from, to }))) {
    const begin = Math.max(at, place.from)
    const end = Math.min(to, place.to)
    spans.push(
      { ...style, text: text.slice(at, begin) },
      { ...style, text: text.slice(begin, end), strong: true, underline: true },
    )
    at = end
  }
  return [...spans, { ...style, text: text.slice(at, to) }]
}
