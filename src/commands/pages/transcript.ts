import {
  actionText,
  billLine,
  copiedMark,
  messageMarks,
  shownName,
  threadLine,
  toolCallLine,
  toolResultLine,
} from '../../words/entry-text.ts'
import type {
  ActionEntry,
  Entry,
  EntryId,
  MessageEntry,
  ReplyEntry,
  ToolCallEntry,
  ToolResultEntry,
} from '../../words/entry.ts'
import { type Picture, pictureText } from '../../words/picture.ts'
import { foldPast } from '../../chat/presence/index.ts'
import { Html, markup } from '../../base/markup.ts'
import { headOf } from '../../base/text/characters.ts'
import { visibleLine, visibleText } from '../../base/text/visible-text.ts'
import { loadMarkdownHtml, type MarkdownToHtml } from './markdown-html.ts'
import {
  PAGE_END,
  createRenderAuthor,
  exactText,
  momentHtml,
  pageHead,
  timeHtml,
  type RenderAuthor,
} from './page.ts'

/** A room's log as a page, made piece by piece while the log is read, oldest entry first. */
export interface Transcript {
  readonly head: Html
  /** Returns the next part of the page for the log's next entry, with the pictures that came by it. */
  entry(entry: Entry, pictures?: readonly Picture[]): Iterable<Html>
  end(): Iterable<Html>
}

/** Limit of joins and leaves in one line. More entries begin a new line, so that few entries wait. */
const MAX_IN_A_ROW = 200
/** Limit of characters in a line of joins and leaves, and thus of its names. */
const PRESENCE_COLUMNS = 160

/** `at`: the page's creation, in milliseconds since the epoch. */
export async function createTranscript(
  { name, topic, pins }: { readonly name: string; readonly topic: string; readonly pins: readonly string[] },
  at: number,
): Promise<Transcript> {
  const parts = { markdown: await loadMarkdownHtml(), nameOf: createRenderAuthor() }
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

  /** Yields consecutive joins and leaves as one line, which unfolds to the entries. */
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
    head: markup`${await pageHead(`${name}: the log`, { hasPictures: true })}
      <h1>${name}</h1>
      ${topic === '' ? undefined : markup`<p class="plain">${visibleText(topic)}</p> `}
      ${pins.map((row) => markup`<p class="plain">${visibleText(row)}</p> `)}
      <p class="dim">The log up to ${momentHtml(at)}. All times are UTC.</p>
      `,
    *entry(entry, pictures = []) {
      count += 1
      const isComing = entry.kind === 'presence'
      if (!isComing || row.length >= MAX_IN_A_ROW || !isSameDay(entry, row[0])) yield* rowHtml()
      if (isComing) return void row.push(entry)
      yield headingOf(entry)
      yield* entryHtml(entry, parts)
      for (const picture of pictures) yield* pictureHtml(picture)
    },
    *end() {
      yield* rowHtml()
      yield markup`<p class="dim">The end: ${count === 1 ? '1 entry' : `${count} entries`}.</p>
        ${PAGE_END}`
    },
  }
}

/** True for any entry if the row is empty. */
const isSameDay = (one: Entry, other: Entry | undefined): boolean =>
  other === undefined || dayOf(one) === dayOf(other)

const dayOf = ({ at }: Entry): string => new Date(at).toISOString().slice(0, 10)

interface EntryParts {
  readonly markdown: MarkdownToHtml
  readonly nameOf: RenderAuthor
}

/** Yields an entry with its whole text, piece by piece. Long text that no person or model said unfolds. */
function* entryHtml(entry: Entry, parts: EntryParts): Generator<Html, void, void> {
  const isSpoken = entry.kind === 'message' || entry.kind === 'reply'
  if (isSpoken && entry.thread === undefined) yield* spokenHtml(entry, parts)
  else yield unspokenHtml(entry, parts)
}

function unspokenHtml(entry: Entry, { nameOf }: EntryParts): Html {
  if (entry.thread !== undefined) return sideHtml(entry)
  switch (entry.kind) {
    case 'action':
      return actionHtml(entry, nameOf)
    case 'message':
    case 'reply':
    case 'presence':
    case 'routine':
      return aside(entry, entry.text)
    case 'notice':
      return markup`${aside(entry, entry.text, entry.level === 'error')}${billHtml(entry)}`
    case 'scope':
    case 'approval':
    case 'file':
      return aside(entry, `${shownName(entry.author)}: ${entry.text}`)
    case 'tool_call':
      return callHtml(entry, `${shownName(entry.author)}: ${toolCallLine(entry)}`)
    case 'tool_result':
      return resultHtml(entry, toolResultLine(entry))
  }
}

/** Keeps only characters of a ULID, because every entry's ID is a ULID. */
const anchorOf = (id: string): string => `e-${id.replace(/[^0-9A-Z]/g, '')}`

function* spokenHtml(
  entry: MessageEntry | ReplyEntry,
  { markdown, nameOf }: EntryParts,
): Generator<Html, void, void> {
  const edits = entry.kind === 'message' ? entry.edits : undefined
  const mark = entry.kind === 'message' ? messageMarks(entry) : copiedMark(entry)
  yield markup`<article id="${anchorOf(entry.id)}" class="entry ${entry.kind}">
    <header>
      ${nameOf(entry)}${editedHtml(edits, mark)}
      <span class="dim">${timeHtml(entry.at)}</span>
    </header>
    `
  yield* markdown(entry.text)
  yield markup`${billHtml(entry)}</article>
    `
}

/** Links to the first version if this is a later version. */
const editedHtml = (edits: EntryId | undefined, mark: string): Html =>
  edits === undefined
    ? markup`<span class="dim">${mark}</span>`
    : markup` <a href="#${anchorOf(edits)}">${mark.trim()}</a>`

function actionHtml(entry: ActionEntry, nameOf: RenderAuthor): Html {
  const what = actionText(entry)
  const shown = entry.reacts === undefined ? what : markup`<a href="#${anchorOf(entry.reacts)}">${what}</a>`
  return markup`<p id="${anchorOf(entry.id)}" class="plain"><span class="dim">${timeHtml(entry.at)}</span> * ${nameOf(entry)}${copiedMark(entry)} ${shown}</p>
    `
}

const aside = ({ id, at }: Entry, text: string, isError = false): Html =>
  markup`<p id="${anchorOf(id)}" class="aside${isError ? ' error' : ''}">${timeHtml(at)} ${text}</p>
    `

/** Bytes of a picture in one part of the page: a multiple of three, so that base64 parts can be joined. */
const BYTES_OF_PART = 3 * 1024

/** A picture inside the page. Its type is one of four, and base64 needs no escapes. */
function* pictureHtml(picture: Picture): Generator<Html, void, void> {
  const { type, width, height, name, bytes } = picture
  yield markup`<figure><img width="${width}" height="${height}" alt="${visibleLine(name)}" src="data:${type};base64,`
  for (let at = 0; at < bytes.length; at += BYTES_OF_PART)
    yield Html.trusted(btoa(String.fromCharCode(...bytes.subarray(at, at + BYTES_OF_PART))))
  yield markup`">
    <figcaption class="dim">${visibleLine(pictureText(picture))}</figcaption></figure>
    `
}

const billHtml = (entry: Entry): Html | undefined => {
  const bill = billLine(entry)
  return bill === ''
    ? undefined
    : markup`<p class="bill">${bill}</p>
    `
}

/** Characters of a call that are shown before it is unfolded. */
const SHOWN_CALL = 160

/** A call that is not shown in full unfolds to its arguments. */
function callHtml(entry: ToolCallEntry, line: string): Html {
  const args =
    typeof entry.arguments === 'string' ? entry.arguments : JSON.stringify(entry.arguments, null, 2)
  const [first = ''] = line.split('\n', 1)
  const isWhole = first === line && line.length <= SHOWN_CALL
  return isWhole ? aside(entry, line) : folded(entry, `${headOf(first, SHOWN_CALL)} …`, args)
}

/** A result that is not shown in full unfolds to the exact text that the model read. */
function resultHtml(entry: ToolResultEntry, line: string): Html {
  const isWhole = entry.text.trim() === '' || line.includes(`: ${entry.text.trim()} (`)
  return isWhole ? aside(entry, line, entry.isError) : folded(entry, line, entry.text, entry.isError)
}

const folded = (entry: Entry, line: string, text: string, isError = false): Html =>
  foldedHtml(entry, line, exactText(text), isError)

const foldedHtml = ({ id, at }: Entry, line: string, inside: Html, isError = false): Html =>
  markup`<details id="${anchorOf(id)}" class="tool${isError ? ' error' : ''}">
    <summary>${timeHtml(at)} ${line}</summary>
    ${inside}
  </details>
  `

/** Returns one line about a step of a side turn, which unfolds to the full text. */
function sideHtml(entry: Entry): Html {
  const line = threadLine(entry)
  const inside =
    entry.kind === 'tool_call'
      ? callHtml(entry, line)
      : entry.kind === 'tool_result'
        ? resultHtml(entry, line)
        : line.endsWith(entry.text)
          ? aside(entry, line)
          : folded(entry, line, entry.text)
  return markup`<div class="side">${inside}</div>
    `
}
