import type { Entry } from '../chat/entry.ts'
import { foldPast } from '../chat/presence/fold.ts'
import { markup, type Html } from '../lib/markup.ts'
import { visibleText } from '../lib/text/visible-text.ts'
import { entryHtml, foldedHtml } from './entry.ts'
import { loadMarkdownHtml } from './markdown-html.ts'
import { PAGE_END, createAuthorNames, momentHtml, pageHead } from './page.ts'

/** A room's log as a page, made piece by piece while the log is read, oldest entry first. */
export interface Transcript {
  readonly head: Html
  /** The part of the page that follows now that the log goes on with this entry. */
  entry(entry: Entry): Iterable<Html>
  end(): Iterable<Html>
}

/** Comings and goings in one line: the rest has a line of its own, so that what waits is bounded. */
const MAX_IN_A_ROW = 200
/** Names stand in that line as long as it has so many characters. */
const PRESENCE_COLUMNS = 160

/** `at`: when it is made, in milliseconds since the epoch. */
export async function createTranscript(
  { name, topic }: { readonly name: string; readonly topic: string },
  at: number,
): Promise<Transcript> {
  const parts = { markdown: await loadMarkdownHtml(), nameOf: createAuthorNames() }
  let day = ''
  let count = 0
  let row: Entry[] = []

  function headingOf(entry: Entry): Html {
    const today = dayOf(entry)
    if (today === day) return markup``
    day = today
    return markup`<h2>${today}</h2>
      `
  }

  /** Who came and went in a row: one line, which unfolds to each of them. */
  function* rowHtml(): Generator<Html, void, void> {
    const entries = row
    row = []
    const [first] = entries
    if (!first) return
    yield headingOf(first)
    if (entries.length === 1) return yield* entryHtml(first, parts)
    const [sum = first] = foldPast(entries, PRESENCE_COLUMNS)
    const all = entries.map((entry) => [...entryHtml(entry, parts)])
    yield foldedHtml(sum, sum.text, markup`${all}`)
  }

  return {
    head: markup`${await pageHead(`${name}: the log`)}
      <h1>${name}</h1>
      ${topic === '' ? undefined : markup`<p class="plain">${visibleText(topic)}</p> `}
      <p class="dim">The log up to ${momentHtml(at)}. All times are UTC.</p>
      `,
    *entry(entry) {
      count += 1
      const isComing = entry.kind === 'presence'
      if (!isComing || row.length >= MAX_IN_A_ROW || !isSameDay(entry, row[0])) yield* rowHtml()
      if (isComing) return void row.push(entry)
      yield headingOf(entry)
      yield* entryHtml(entry, parts)
    },
    *end() {
      yield* rowHtml()
      yield markup`<p class="dim">The end: ${count === 1 ? '1 entry' : `${count} entries`}.</p>
        ${PAGE_END}`
    },
  }
}

/** Of an empty row any entry is. */
const isSameDay = (one: Entry, other: Entry | undefined): boolean =>
  other === undefined || dayOf(one) === dayOf(other)

const dayOf = ({ at }: Entry): string => new Date(at).toISOString().slice(0, 10)
