import type { Entry } from '../../chat/entry.ts'
import { callKey } from '../../prompt/history.ts'

/** An entry and its tokens. */
export interface CountedEntry {
  readonly entry: Entry
  readonly tokens: number
}

/** Entries that may wait to be summed up: the default prompt shows 200. */
const MAX_UNSUMMED_ROWS = 150

/**
 * How many of the oldest rows are due to be summed up: none while all of them are few and short; else so many that the
 * newest half stays as it was said. `isAll` is false where more follows these rows.
 */
export function rowsDue(rows: readonly CountedEntry[], unsummed: number, isAll: boolean): number {
  if (!isAll) return rows.length
  if (rows.length <= MAX_UNSUMMED_ROWS && sum(rows) <= unsummed) return 0
  let kept = 0
  let left = unsummed / 2
  for (const { tokens } of rows.toReversed()) {
    left -= tokens
    if (left < 0 || kept >= MAX_UNSUMMED_ROWS / 2) break
    kept += 1
  }
  return rows.length - kept
}

/** The oldest rows that fit into so many tokens, at least one. A call is not parted from its results, where that can be. */
export function oldestWithin(rows: readonly CountedEntry[], tokens: number): readonly CountedEntry[] {
  let left = tokens
  const over = rows.findIndex((row) => (left -= row.tokens) < 0)
  return rows.slice(0, withoutOpenCall(rows, Math.max(1, over === -1 ? rows.length : over)))
}

/** The number of rows before the first call among them whose result comes later. */
export function withoutOpenCall(rows: readonly CountedEntry[], count: number): number {
  const later = new Set(
    rows.slice(count).flatMap(({ entry }) => (entry.kind === 'tool_result' ? [callKey(entry)] : [])),
  )
  const open = rows
    .slice(0, count)
    .findIndex(({ entry }) => entry.kind === 'tool_call' && later.has(callKey(entry)))
  return open > 0 ? open : count
}

const sum = (rows: readonly CountedEntry[]): number => rows.reduce((total, { tokens }) => total + tokens, 0)
