import {
  actionText,
  billLine,
  editedMark,
  shownName,
  threadLine,
  toolCallLine,
  toolResultLine,
} from '../chat/entry-text.ts'
import type {
  ActionEntry,
  Entry,
  EntryId,
  MessageEntry,
  ReplyEntry,
  ToolCallEntry,
  ToolResultEntry,
} from '../chat/entry.ts'
import { headOf } from '../lib/text/characters.ts'
import { markup, type Html } from '../lib/markup.ts'
import type { MarkdownToHtml } from './markdown-html.ts'
import { type AuthorName, exactText, timeHtml } from './page.ts'

/** What all entries of a page are shown with. */
export interface EntryParts {
  readonly markdown: MarkdownToHtml
  readonly nameOf: AuthorName
}

/** An entry with all of its text, piece by piece. What is long and was not said by anybody unfolds. */
export function* entryHtml(entry: Entry, parts: EntryParts): Generator<Html, void, void> {
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
      return aside(entry, entry.text)
    case 'notice':
      return markup`${aside(entry, entry.text, entry.level === 'error')}${billHtml(entry)}`
    case 'scope':
    case 'approval':
      return aside(entry, `${shownName(entry.author)}: ${entry.text}`)
    case 'tool_call':
      return callHtml(entry, `${shownName(entry.author)}: ${toolCallLine(entry)}`)
    case 'tool_result':
      return resultHtml(entry, toolResultLine(entry))
  }
}

/** Only ids of ours, which are ULIDs, are anchors of a page. */
const anchorOf = (id: string): string => `e-${id.replace(/[^0-9A-Z]/g, '')}`

function* spokenHtml(
  entry: MessageEntry | ReplyEntry,
  { markdown, nameOf }: EntryParts,
): Generator<Html, void, void> {
  const edits = entry.kind === 'message' ? entry.edits : undefined
  const mark = entry.kind === 'message' ? editedMark(entry) : ''
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

/** Links to the first version, where this is a later one. */
const editedHtml = (edits: EntryId | undefined, mark: string): Html =>
  edits === undefined
    ? markup`<span class="dim">${mark}</span>`
    : markup` <a href="#${anchorOf(edits)}">${mark.trim()}</a>`

function actionHtml(entry: ActionEntry, nameOf: AuthorName): Html {
  const what = actionText(entry)
  const shown = entry.reacts === undefined ? what : markup`<a href="#${anchorOf(entry.reacts)}">${what}</a>`
  return markup`<p id="${anchorOf(entry.id)}" class="plain"><span class="dim">${timeHtml(entry.at)}</span> * ${nameOf(entry)} ${shown}</p>
    `
}

const aside = ({ id, at }: Entry, text: string, isError = false): Html =>
  markup`<p id="${anchorOf(id)}" class="aside${isError ? ' error' : ''}">${timeHtml(at)} ${text}</p>
    `

const billHtml = (entry: Entry): Html | undefined => {
  const bill = billLine(entry)
  return bill === ''
    ? undefined
    : markup`<p class="bill">${bill}</p>
    `
}

/** Characters of a call that are seen before it is unfolded. */
const SHOWN_CALL = 160

/** A call that is not seen whole unfolds to its arguments. */
function callHtml(entry: ToolCallEntry, line: string): Html {
  const args =
    typeof entry.arguments === 'string' ? entry.arguments : JSON.stringify(entry.arguments, null, 2)
  const [first = ''] = line.split('\n', 1)
  const isWhole = first === line && line.length <= SHOWN_CALL
  return isWhole ? aside(entry, line) : folded(entry, `${headOf(first, SHOWN_CALL)} …`, args)
}

/** A result that is not seen whole unfolds to exactly what the model read. */
function resultHtml(entry: ToolResultEntry, line: string): Html {
  const isWhole = entry.text.trim() === '' || line.includes(`: ${entry.text.trim()} (`)
  return isWhole ? aside(entry, line, entry.isError) : folded(entry, line, entry.text, entry.isError)
}

const folded = (entry: Entry, line: string, text: string, isError = false): Html =>
  foldedHtml(entry, line, exactText(text), isError)

export const foldedHtml = ({ id, at }: Entry, line: string, inside: Html, isError = false): Html =>
  markup`<details id="${anchorOf(id)}" class="tool${isError ? ' error' : ''}">
    <summary>${timeHtml(at)} ${line}</summary>
    ${inside}
  </details>
  `

/** What a sub-turn did: in short, and unfolding to the whole. */
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
