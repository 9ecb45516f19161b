import { indentLater } from '../chat/entry-text.ts'
import type { Entry, ToolCallEntry } from '../chat/entry.ts'
import { utf8Bytes } from '../lib/bytes.ts'
import { cleanText } from '../lib/text/clean-text.ts'
import { isJsonList, isJsonObject, type Json, type JsonObject } from '../lib/json.ts'
import type { Snapshot } from './snapshot.ts'

/** Stands where older entries were left out. It gives no number, so that the text begins with the same bytes in every turn. */
export const OMISSION = '[earlier entries left out]'

/** Characters of a tool's result that later turns are shown again. */
const MAX_RESULT_CHARACTERS = 400

/** The kinds that `tools.history` gives where the script names none. */
const DEFAULT_KINDS: readonly string[] = ['message', 'action', 'reply', 'tool_call', 'tool_result']

/**
 * The conversation as one text for `tools.conversation`: the entries that `query` asks for, oldest first, each on a
 * line of its own. The later lines of an entry are indented, and a tool's result is a later line of its call, so that
 * each line at the margin begins a new entry. A result whose call was not asked for is an entry of its own. Where the
 * entries have more than `maxBytes` bytes, the oldest are left out and `OMISSION` says so.
 */
export function conversationText(snapshot: Snapshot, query: Json, maxBytes: number): string {
  const all = paragraphs(matchingEntries(snapshot, query))
  const newest = newestWithin(all, (text) => text, maxBytes)
  return (newest.length === all.length ? all : [OMISSION, ...newest]).join('\n')
}

/** The rows that `tools.history` gives: the newest entries that `query` asks for, oldest first, with at most `maxBytes` bytes of text. */
export const historyRows = (snapshot: Snapshot, query: Json, maxBytes: number): readonly JsonObject[] =>
  newestWithin(matchingEntries(snapshot, query), ({ entry }) => entry.text, maxBytes).map(rowOf)

/** An entry, and whether a model made it. */
interface MatchingEntry {
  readonly entry: Entry
  readonly agent: boolean
}

/** The newest entries that match, oldest first. */
function matchingEntries({ history, present, model }: Snapshot, argument: Json): readonly MatchingEntry[] {
  const { limit, kinds, agents, since } = readQuery(argument)
  const models = new Set([
    model.name,
    ...present.filter((who) => who.kind === 'model').map((who) => who.name),
  ])
  const found: MatchingEntry[] = []
  for (const { entry } of history.toReversed()) {
    if (found.length >= limit || !isAfter(entry, since)) break
    const agent = entry.kind === 'reply' || models.has(entry.author)
    if (kinds.includes(entry.kind) && (agents || !agent)) found.push({ entry, agent })
  }
  return found.toReversed()
}

interface HistoryQuery {
  readonly limit: number
  readonly kinds: readonly Json[]
  /** False leaves out what models said and did. */
  readonly agents: boolean
  /** A row's id, or a time in milliseconds: only what came after it. */
  readonly since: Json
}

/** Reads the options that lua/tools.lua has checked. Only here can a list be told from another table. */
function readQuery(argument: Json): HistoryQuery {
  const { limit, kinds = DEFAULT_KINDS, agents, since = null } = isJsonObject(argument) ? argument : {}
  if (!isJsonList(kinds)) throw new Error('tools.history: kinds must be a list such as {"message"}')
  return { limit: typeof limit === 'number' ? limit : 0, kinds, agents: agents === true, since }
}

function isAfter(entry: Entry, since: Json): boolean {
  if (typeof since === 'number') return entry.at > since
  return typeof since !== 'string' || entry.id > since
}

function rowOf({ entry, agent }: MatchingEntry): JsonObject {
  const { id, at, kind, author, text } = entry
  const row = { id, at, kind, author, text, agent }
  if (entry.kind !== 'tool_call' && entry.kind !== 'tool_result') return row
  const call = { ...row, call: entry.call, name: entry.name, turn: entry.turn ?? '' }
  return entry.kind === 'tool_call' ? { ...call, arguments: argumentsText(entry) } : call
}

function paragraphs(entries: readonly MatchingEntry[]): readonly string[] {
  const texts: string[] = []
  const indexOfCall = new Map<string, number>()
  for (const { entry } of entries) {
    const call = entry.kind === 'tool_result' ? indexOfCall.get(callKey(entry)) : undefined
    if (call !== undefined) texts[call] += `\n  ${textOf(entry)}`
    else if (entry.kind === 'tool_result') texts.push(`${entry.author} had a ${textOf(entry)}`)
    else texts.push(textOf(entry))
    if (entry.kind === 'tool_call') indexOfCall.set(callKey(entry), texts.length - 1)
  }
  return texts
}

const callKey = ({ turn, call }: { readonly turn?: string; readonly call: string }): string =>
  `${turn ?? ''}\n${call}`

function textOf(entry: Entry): string {
  switch (entry.kind) {
    case 'message':
    case 'reply':
      return `${entry.author}: ${indentLater(entry.text)}`
    case 'action':
      return `* ${entry.author} ${indentLater(entry.text)}`
    case 'tool_call':
      return `${entry.author} called ${entry.name} ${indentLater(argumentsText(entry))}`
    case 'tool_result':
      return `result of ${entry.name}: ${indentLater(clipped(entry.text))}`
    default:
      return `[${entry.kind}] ${indentLater(entry.text)}`
  }
}

/** Cleaned once more: calls that were stored before their arguments were cleaned may hold anything. */
const argumentsText = (call: ToolCallEntry): string => cleanText(JSON.stringify(call.arguments))

function clipped(text: string): string {
  if (text.length <= MAX_RESULT_CHARACTERS) return text
  const characters = Array.from(text)
  const missing = characters.length - MAX_RESULT_CHARACTERS
  if (missing <= 0) return text
  return `${characters.slice(0, MAX_RESULT_CHARACTERS).join('')}… [${missing} more characters]`
}

/** The newest items that have at most `maxBytes` bytes together; the newest one in any case. `items` begins with the oldest. */
function newestWithin<T>(items: readonly T[], textIn: (item: T) => string, maxBytes: number): readonly T[] {
  let left = maxBytes
  let kept = 0
  for (const item of items.toReversed()) {
    left -= utf8Bytes(textIn(item))
    if (left < 0 && kept > 0) break
    kept += 1
  }
  return items.slice(items.length - kept)
}
