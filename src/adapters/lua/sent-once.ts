import { createHash } from 'node:crypto'
import { fnv1a } from '../../lib/hash.ts'
import type { CatalogueTool, HistoryRow } from '../../prompt/snapshot.ts'

/** Items as they cross to a wrap process: what it was sent before is named by its key only. */
export interface SentOnce<T> {
  /** Keys of the items, in order. */
  readonly keys: readonly string[]
  /** The items that this process was not sent before, by key. */
  readonly fresh: { readonly [key: string]: T }
  /** True if the process is to forget all that it was sent before; `fresh` then has everything. */
  readonly forget: boolean
}

/** An item and the key that stands for its content. */
export interface Keyed<T> {
  readonly key: string
  readonly item: T
}

/** Gives tools their keys, hashes of their content; each object is hashed once. Throws if a tool is not plain data. */
export function createToolKeys(): (tools: readonly CatalogueTool[]) => readonly Keyed<CatalogueTool>[] {
  const keys = new WeakMap<CatalogueTool, string>()
  return (tools) =>
    tools.map((item) => {
      const key = keys.get(item) ?? hashOf(item)
      keys.set(item, key)
      return { key, item }
    })
}

const hashOf = (tool: CatalogueTool): string =>
  createHash('sha256').update(JSON.stringify(tool)).digest('base64url').slice(0, 22)

/** Gives rows of history their keys. An entry of the log never changes, so its id says nearly all. */
export const rowKeys = (rows: readonly HistoryRow[]): readonly Keyed<HistoryRow>[] =>
  rows.map((item) => ({ key: `${item.entry.id} ${fnv1a(item.entry.text)}`, item }))

/** With more items than this, a process forgets all of them and is sent them anew. */
const MAX_KEPT = 4096

/** The server's side of one process: knows what that process was sent. */
export function createSender<T>(): (items: readonly Keyed<T>[]) => SentOnce<T> {
  const known = new Set<string>()
  return (items) => {
    const forget = known.size + items.length > MAX_KEPT
    if (forget) known.clear()
    const fresh = items.filter(({ key }) => !known.has(key))
    for (const { key } of items) known.add(key)
    return {
      keys: items.map(({ key }) => key),
      fresh: Object.fromEntries(fresh.map(({ key, item }) => [key, item])),
      forget,
    }
  }
}

/**
 * The process's side: keeps the items that were sent. The same key always gives the same object, so that what was
 * worked out for an item is found again.
 */
export function createReceiver<T>(): (sent: SentOnce<T>) => readonly T[] {
  const kept = new Map<string, T>()
  return ({ keys, fresh, forget }) => {
    if (forget) kept.clear()
    for (const [key, item] of Object.entries(fresh)) kept.set(key, item)
    return keys.map((key) => {
      const item = kept.get(key)
      if (item === undefined) throw new Error(`something was named that was never sent: ${key}`)
      return item
    })
  }
}
