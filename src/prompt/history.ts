import type { Entry } from '../chat/entry.ts'
import type { Json, JsonObject } from '../lib/json.ts'
import { newestWithin } from './output-limit.ts'
import type { Snapshot } from './snapshot.ts'

/** What a conversation is made of; the other kinds are there for scripts that ask for them. */
const spoken: readonly string[] = ['message', 'action', 'reply', 'tool_call', 'tool_result']

/** What `tools.history` asks for; lua/tools.lua has checked it. */
interface HistoryQuery {
  readonly limit: number
  readonly kinds?: readonly string[]
  /** False leaves out what models said and did. */
  readonly agents: boolean
  /** A row's id, or a time in milliseconds: only what came after it. */
  readonly since?: string | number
}

/** An entry that was asked for, and whether a model made it. */
export interface ToldEntry {
  readonly entry: Entry
  readonly agent: boolean
}

/** The newest rows that match, oldest first and at most `most` bytes of text, as Lua sees them. */
export const historyRows = (snapshot: Snapshot, argument: Json, most: number): readonly Json[] =>
  newestWithin(newestEntries(snapshot, argument), ({ entry }) => entry.text, most).map(rowOf)

/** The newest entries that match what Lua asked for, oldest first. */
export function newestEntries({ history, present, model }: Snapshot, argument: Json): readonly ToldEntry[] {
  const { limit, kinds = spoken, agents, since } = argument as unknown as HistoryQuery
  if (!Array.isArray(kinds)) throw new Error('tools.history: kinds must be a list such as {"message"}')
  const models = new Set(
    present.flatMap((who) => (who.kind === 'model' ? [who.name] : [])).concat(model.name),
  )
  const found: ToldEntry[] = []
  for (let index = history.length - 1; index >= 0 && found.length < limit; index -= 1) {
    const { entry } = history[index]!
    if (!isAfter(entry, since)) break
    const agent = entry.kind === 'reply' || models.has(entry.author)
    if (kinds.includes(entry.kind) && (agents || !agent)) found.push({ entry, agent })
  }
  return found.toReversed()
}

const isAfter = (entry: Entry, since: string | number | undefined): boolean =>
  since === undefined || (typeof since === 'number' ? entry.at > since : entry.id > since)

function rowOf({ entry, agent }: ToldEntry): JsonObject {
  const { id, at, kind, author, text } = entry
  const row = { id, at, kind, author, text, agent }
  if (entry.kind !== 'tool_call' && entry.kind !== 'tool_result') return row
  const call = { ...row, call: entry.call, name: entry.name, turn: entry.turn ?? '' }
  return entry.kind === 'tool_call' ? { ...call, arguments: JSON.stringify(entry.arguments) } : call
}
