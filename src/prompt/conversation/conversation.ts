/**
 * The conversation of a room as scripts read it: rows, and the same as one text. This folder must not know how rows are
 * stored or how a layer is trimmed.
 */
import { actionText, indentLater, shownName } from '../../chat/entry-text.ts'
import type { Entry, ToolCallEntry, ToolResultEntry } from '../../chat/entry.ts'
import { textForModels } from '../../chat/outside.ts'
import { utf8Bytes } from '../../lib/bytes.ts'
import { cleanText } from '../../lib/text/clean-text.ts'
import type { Json, JsonObject } from '../../lib/json.ts'
import { headOf } from '../../lib/text/characters.ts'
import type { EntryText, EntryTexts } from './entry-texts.ts'
import { pageOf, readHistoryQuery, type ConversationRow, type RowGroup } from './conversation-rows.ts'
import type { Snapshot } from '../snapshot.ts'

/** Stands where older entries were left out. It gives no number, so that the text begins with the same bytes in every turn. */
export const OMISSION = '[earlier entries left out]'

/** Characters of a tool's result that later turns are shown again. */
const MAX_RESULT_CHARACTERS = 400

/**
 * The conversation for `tools.conversation`, to be joined: the entries that `query` asks for, oldest first, each on a
 * line of its own. The later lines of an entry are indented, and a tool's result is a later line of its call, so that
 * each line at the margin begins a new entry. A result whose call was not asked for is an entry of its own. Where the
 * entries have more than `maxBytes` bytes, the oldest are left out and `OMISSION` says so.
 */
export function conversationTexts(
  snapshot: Snapshot,
  query: Json,
  maxBytes: number,
  texts: EntryTexts,
): readonly EntryText[] {
  const all = pageOf(snapshot, readHistoryQuery(query)).map((group) =>
    texts.of(entriesOf(group), (entries) => textOfGroup(entries)),
  )
  const newest = newestWithin(all, (entry) => entry.bytes(), maxBytes)
  return newest.length === all.length ? all : [texts.plain(OMISSION), ...newest]
}

/** The rows that `tools.history` gives: those that `query` asks for, oldest first; of these the newest with at most `maxBytes` bytes of text. */
export const historyRows = (snapshot: Snapshot, query: Json, maxBytes: number): readonly JsonObject[] =>
  newestWithin(pageOf(snapshot, readHistoryQuery(query)), bytesOf, maxBytes).flatMap((group) =>
    group.map(rowOf),
  )

const entriesOf = (group: RowGroup): readonly Entry[] => group.map(({ entry }) => entry)

const bytesOf = (group: RowGroup): number =>
  group.reduce((sum, { entry }) => sum + utf8Bytes(textForModels(entry)), 0)

function rowOf({ entry, agent }: ConversationRow): JsonObject {
  const { id, at, kind, author } = entry
  const row = { id, at, kind, author, text: textForModels(entry), agent }
  if (entry.kind !== 'tool_call' && entry.kind !== 'tool_result') return row
  const call = { ...row, call: entry.call, name: entry.name, turn: entry.turn ?? '' }
  return entry.kind === 'tool_call' ? { ...call, arguments: argumentsText(entry) } : call
}

/**
 * Entries that stay together as one paragraph: the first, and the results of a call as later lines of it. Texts of
 * entries are cut at `maxCharacters` where that is given.
 */
export function textOfGroup([first, ...results]: readonly Entry[], maxCharacters = Infinity): string {
  if (!first) return ''
  const begin = first.kind === 'tool_result' ? `${shownName(first.author)} had a ` : ''
  return [
    `${begin}${textOf(first, maxCharacters)}`,
    ...results.map((one) => textOf(one, maxCharacters)),
  ].join('\n  ')
}

function textOf(whole: Entry, maxCharacters: number): string {
  const entry = { ...whole, text: clipped(whole.text, maxCharacters) }
  switch (entry.kind) {
    case 'message':
    case 'reply':
      return `${shownName(entry.author)}: ${indentLater(entry.text)}`
    case 'action':
      return `* ${shownName(entry.author)} ${indentLater(actionText(entry))}`
    case 'tool_call':
      return `${shownName(entry.author)} called ${entry.name} ${indentLater(clipped(argumentsText(entry), maxCharacters))}`
    case 'tool_result':
      return `result of ${entry.name}: ${indentLater(resultText(entry))}`
    default:
      return `[${entry.kind}] ${indentLater(entry.text)}`
  }
}

/** The beginning of a result as a model reads it. What was cut off had the last lines of our own, if any. */
function resultText({ id, text, outside }: ToolResultEntry): string {
  const shown = clipped(text, MAX_RESULT_CHARACTERS)
  if (!outside) return shown
  return textForModels({ id, text: shown, outside: shown === text ? outside : { ...outside, tail: 0 } })
}

/** Cleaned once more: calls that were stored before their arguments were cleaned may hold anything. */
const argumentsText = (call: ToolCallEntry): string => cleanText(JSON.stringify(call.arguments))

function clipped(text: string, characters: number): string {
  const head = headOf(text, characters)
  return head === text ? text : `${head}… [${text.length - head.length} more characters]`
}

/** The newest items that have at most `maxBytes` bytes together; the newest one in any case. `items` begins with the oldest. */
function newestWithin<T>(items: readonly T[], bytesIn: (item: T) => number, maxBytes: number): readonly T[] {
  let left = maxBytes
  let kept = 0
  for (const item of items.toReversed()) {
    left -= bytesIn(item)
    if (left < 0 && kept > 0) break
    kept += 1
  }
  return items.slice(items.length - kept)
}
