import { actionText, indentLater, routineMark, shownName } from '../words/entry-text.ts'
import type { Entry, EntryKind, ToolCallEntry, ToolResultEntry } from '../words/entry.ts'
import { textForModels } from '../words/outside.ts'
import { utf8Bytes } from '../base/amounts.ts'
import { isJsonList, isJsonObject, type Json, type JsonObject } from '../base/json.ts'
import { headOf } from '../base/text/characters.ts'
import { cleanText } from '../base/text/clean-text.ts'
import { splitLabel } from '../words/names.ts'
import type { EntryText, EntryTexts } from './entry-texts.ts'
import type { Snapshot } from './snapshot.ts'
import { steadyStart } from './steady-start.ts'

/** Has no number, so that the text begins with the same bytes in every turn. */
export const OMISSION = '[earlier entries left out]'

export const MAX_HISTORY_ROWS = 500

export const CONVERSATION_KINDS: readonly EntryKind[] = [
  'message',
  'action',
  'reply',
  'tool_call',
  'tool_result',
  'notice',
  'scope',
  'file',
]

const DEFAULT_KINDS: readonly string[] = ['message', 'action', 'reply', 'tool_call', 'tool_result', 'file']

/** The limit of a result's characters in the prompts of later turns. */
const MAX_RESULT_CHARACTERS = 400

/**
 * Returns the entries that `query` of `tools.conversation` selects, oldest first. Later lines are indented,
 * results as later lines of their call, so that each line at the margin begins an entry. Drops the oldest
 * above `maxBytes`.
 */
export function conversationTexts(
  snapshot: Snapshot,
  query: Json,
  maxBytes: number,
  texts: EntryTexts,
): readonly EntryText[] {
  const { limit, steps, ...rest } = readHistoryQuery(query)
  const page = pageOf(snapshot, { ...rest, steps, limit: steps ? limit + 1 : limit }).map((group) =>
    texts.of(
      group.map(({ entry }) => entry),
      (entries) => textOfGroup(entries),
    ),
  )
  const all = steps && page.length > limit ? withoutOldest(page) : page
  const newest = newestWithin(all, (entry) => entry.bytes(), maxBytes)
  // With `steps`, the text begins like a text that the budget trims.
  return newest.length === page.length ? page : [texts.plain(OMISSION), ...newest]
}

/** Drops the first entry, and enough of the next that the text begins the same for many turns. */
function withoutOldest([first, ...entries]: readonly EntryText[]): readonly EntryText[] {
  return entries.slice(steadyStart(entries, first, () => 1))
}

/** Returns the rows that `query` of `tools.history` selects, oldest first, at most `maxBytes` of text. */
export function historyRows(snapshot: Snapshot, query: Json, maxBytes: number): readonly JsonObject[] {
  const bytesOf = (group: RowGroup): number =>
    group.reduce((sum, { entry }) => sum + utf8Bytes(textForModels(entry)), 0)
  return newestWithin(pageOf(snapshot, readHistoryQuery(query)), bytesOf, maxBytes)
    .flat()
    .map(rowOf)
}

function rowOf({ entry, agent }: ConversationRow): JsonObject {
  const { id, at, kind, author } = entry
  const row = { id, at, kind, author, text: textForModels(entry), agent }
  if (entry.kind !== 'tool_call' && entry.kind !== 'tool_result') return row
  const call = { ...row, call: entry.call, name: entry.name, turn: entry.turn ?? '' }
  return entry.kind === 'tool_call' ? { ...call, arguments: argumentsText(entry) } : call
}

/** An entry as one paragraph, with the results of a call as later lines. */
export function textOfGroup([first, ...results]: readonly Entry[], maxCharacters = Infinity): string {
  if (!first) return ''
  const begin = first.kind === 'tool_result' ? `${shownName(first.author)} had a ` : ''
  const texts = [first, ...results].map((entry) => textOf(entry, maxCharacters))
  return begin + texts.join('\n  ')
}

function textOf(whole: Entry, maxCharacters: number): string {
  const entry = { ...whole, text: clip(whole.text, maxCharacters) }
  const author = shownName(entry.author)
  switch (entry.kind) {
    case 'message':
      return `${author}${routineMark(entry)}: ${indentLater(entry.text)}`
    case 'reply':
      return `${author}: ${indentLater(entry.text)}`
    case 'file':
      return `[file] ${author}: ${entry.text}`
    case 'action':
      return `* ${author} ${indentLater(actionText(entry))}`
    case 'tool_call':
      return `${author} called ${entry.name} ${indentLater(clip(argumentsText(entry), maxCharacters))}`
    case 'tool_result':
      return `result of ${entry.name}: ${indentLater(resultText(entry))}`
    default:
      return `[${entry.kind}] ${indentLater(entry.text)}`
  }
}

/** Returns a result's beginning. A cut result has lost the last lines that sshawl added. */
function resultText({ id, text, outside }: ToolResultEntry): string {
  const shown = clip(text, MAX_RESULT_CHARACTERS)
  if (!outside) return shown
  return textForModels({ id, text: shown, outside: shown === text ? outside : { ...outside, tail: 0 } })
}

/** Sanitizes again, because old calls were stored with unsanitized arguments. */
const argumentsText = (call: ToolCallEntry): string => cleanText(JSON.stringify(call.arguments))

function clip(text: string, characters: number): string {
  const head = headOf(text, characters)
  return head === text ? text : `${head}… [${text.length - head.length} more characters]`
}

/** Always keeps the last item. */
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

interface ConversationRow {
  readonly entry: Entry
  readonly agent: boolean
}

type RowGroup = readonly ConversationRow[]

interface HistoryQuery {
  /** The number of groups: a call and its results count once. */
  readonly limit: number
  readonly skip: number
  /** True if up to a quarter of `limit` may be dropped, so that the text begins the same for many turns. */
  readonly steps: boolean
  readonly kinds: readonly Json[]
  readonly agents: boolean
  /** `since` and `before` are a row's id or a time in ms, and are not included. */
  readonly since: Json
  readonly before: Json
}

/** lua/tools.lua has checked the options, but cannot tell a list from another table. */
export function readHistoryQuery(argument: Json): HistoryQuery {
  const options = isJsonObject(argument) ? argument : {}
  const { limit, skip, agents, kinds = DEFAULT_KINDS, since = null, before = null, steps } = options
  if (!isJsonList(kinds)) throw new Error('tools.history: kinds must be a list such as {"message"}')
  return {
    limit: typeof limit === 'number' ? limit : 0,
    skip: typeof skip === 'number' ? skip : 0,
    steps: steps === true,
    kinds,
    agents: agents === true,
    since,
    before,
  }
}

/** Returns groups, oldest first. A result is in its call's group, so pages lose and repeat nothing. */
export function pageOf(snapshot: Snapshot, query: HistoryQuery): readonly RowGroup[] {
  const { since, before } = query
  const inRange = groupsOf(snapshot, query).filter(([first]) => {
    if (!first) return false
    const { id, at } = first.entry
    if (typeof since === 'number' ? at <= since : typeof since === 'string' && id <= since) return false
    return typeof before === 'number' ? at < before : typeof before !== 'string' || id < before
  })
  const end = Math.max(0, inRange.length - query.skip)
  return inRange.slice(Math.max(0, end - query.limit), end)
}

function groupsOf(
  { history, present, model }: Snapshot,
  { kinds, agents }: HistoryQuery,
): readonly RowGroup[] {
  const models = new Set([model.name])
  for (const { kind, name } of present) if (kind === 'model') models.add(name)
  const rows = history
    .map(({ entry }) => ({
      entry,
      agent: entry.kind === 'reply' || models.has(splitLabel(entry.author).model),
    }))
    .filter(({ entry, agent }) => kinds.includes(entry.kind) && (agents || !agent))
  return kinds.includes('tool_call') ? groupsOfCalls(rows) : rows.map((row) => [row])
}

/** Groups results with their calls. Drops a result whose call is not among the rows. */
export function groupsOfCalls<Row extends { readonly entry: Entry }>(
  rows: readonly Row[],
): readonly (readonly Row[])[] {
  const groups: Row[][] = []
  const byCall = new Map<string, Row[]>()
  for (const row of rows) {
    const { entry } = row
    if (entry.kind === 'tool_result') byCall.get(callKey(entry))?.push(row)
    else {
      const group = [row]
      groups.push(group)
      if (entry.kind === 'tool_call') byCall.set(callKey(entry), group)
    }
  }
  return groups
}

/** Returns the same key for a call and its results. People's calls have no turn. */
export const callKey = ({ turn, call }: { readonly turn?: string; readonly call: string }): string =>
  `${turn ?? ''}\n${call}`
