import type { Entry, EntryKind } from '../../chat/entry.ts'
import { isJsonList, isJsonObject, type Json } from '../../lib/json.ts'
import type { Snapshot } from '../snapshot.ts'

/** Rows of history in one snapshot: no layer shows more, and no script reads more. */
export const MAX_HISTORY_ROWS = 500

/** What a conversation is made of. Who came and left is not in it: the prompt says who is present. */
export const CONVERSATION_KINDS: readonly EntryKind[] = [
  'message',
  'action',
  'reply',
  'tool_call',
  'tool_result',
  'notice',
  'scope',
]

/** The kinds that `tools.history` gives where the script names none. */
const DEFAULT_KINDS: readonly string[] = ['message', 'action', 'reply', 'tool_call', 'tool_result']

/** An entry, and whether a model made it. */
export interface ConversationRow {
  readonly entry: Entry
  readonly agent: boolean
}

/** What stays together: an entry, and behind a tool call its results. */
export type RowGroup = readonly ConversationRow[]

/** What `tools.history` and `tools.conversation` ask for. */
export interface HistoryQuery {
  /** Groups of rows: a call counts once, with its results. */
  readonly limit: number
  /** So many of the newest groups are passed over. */
  readonly skip: number
  readonly kinds: readonly Json[]
  /** False leaves out what models said and did. */
  readonly agents: boolean
  /** A row's id, or a time in milliseconds: only what came after it. */
  readonly since: Json
  /** Likewise: only what came before it. */
  readonly before: Json
}

/** Reads the options that lua/tools.lua has checked. Only here can a list be told from another table. */
export function readHistoryQuery(argument: Json): HistoryQuery {
  const options = isJsonObject(argument) ? argument : {}
  const { kinds = DEFAULT_KINDS, since = null, before = null } = options
  if (!isJsonList(kinds)) throw new Error('tools.history: kinds must be a list such as {"message"}')
  const { limit, skip, agents } = options
  return {
    limit: typeof limit === 'number' ? limit : 0,
    skip: typeof skip === 'number' ? skip : 0,
    kinds,
    agents: agents === true,
    since,
    before,
  }
}

/**
 * The page of the conversation that a query asks for, oldest first. Where calls are asked for, a result never stands
 * without its call: it follows it, however long it took, and is left out where the call is in no row. So pages that
 * follow each other, by `skip` or by `before`, lose nothing and repeat nothing.
 */
export function pageOf(snapshot: Snapshot, query: HistoryQuery): readonly RowGroup[] {
  const inRange = groupsOf(snapshot, query).filter(
    ([first]) => first && isAfter(first.entry, query.since) && isBefore(first.entry, query.before),
  )
  const end = Math.max(0, inRange.length - query.skip)
  return inRange.slice(Math.max(0, end - query.limit), end)
}

function groupsOf(
  { history, present, model }: Snapshot,
  { kinds, agents }: HistoryQuery,
): readonly RowGroup[] {
  const models = new Set([
    model.name,
    ...present.filter((who) => who.kind === 'model').map((who) => who.name),
  ])
  const rows = history
    .map(({ entry }) => ({ entry, agent: entry.kind === 'reply' || models.has(entry.author) }))
    .filter(({ entry, agent }) => kinds.includes(entry.kind) && (agents || !agent))
  return kinds.includes('tool_call') ? groupsOfCalls(rows) : rows.map((row) => [row])
}

/** Puts each result behind its call; one whose call is not among the rows is left out. */
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

/** The same for a call and its results. Calls that people make have no turn. */
export const callKey = ({ turn, call }: { readonly turn?: string; readonly call: string }): string =>
  `${turn ?? ''}\n${call}`

function isAfter(entry: Entry, since: Json): boolean {
  if (typeof since === 'number') return entry.at > since
  return typeof since !== 'string' || entry.id > since
}

function isBefore(entry: Entry, before: Json): boolean {
  if (typeof before === 'number') return entry.at < before
  return typeof before !== 'string' || entry.id < before
}
