import { createHash } from 'node:crypto'
import type { CatalogueTool } from '../../prompt/snapshot.ts'

/**
 * Tools as they cross to a wrap process. A list that it was sent before has a number; so has each tool a key.
 */
export interface SentTools {
  readonly list: number
  /** Absent where the process knows the list. */
  readonly made?: {
    /** Keys of the tools, in order. */
    readonly keys: readonly string[]
    /** The tools that this process was not sent before, by key. */
    readonly fresh: { readonly [key: string]: CatalogueTool }
    /** True if the process is to forget all that it was sent before; `fresh` then has everything. */
    readonly forget: boolean
  }
}

/** A tool and the key that stands for its content. */
export interface KeyedTool {
  readonly key: string
  readonly item: CatalogueTool
}

/**
 * Gives tools their keys, hashes of their content; each object is hashed once. Throws if a tool is not plain
 * data.
 */
export function createToolKeys(): (tools: readonly CatalogueTool[]) => readonly KeyedTool[] {
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

/** With more tools or more lists than this, a process forgets all of them and is sent them anew. */
const MAX_KEPT_TOOLS = 4096
const MAX_KEPT_LISTS = 64

/** The server's side of one process: knows what that process was sent. */
export function createToolSender(): (tools: readonly KeyedTool[]) => SentTools {
  const known = new Set<string>()
  const lists = new Map<string, number>()
  return (tools) => {
    const keys = tools.map(({ key }) => key)
    const name = keys.join(' ')
    const list = lists.get(name)
    if (list !== undefined) return { list }
    const forget = known.size + tools.length > MAX_KEPT_TOOLS || lists.size >= MAX_KEPT_LISTS
    if (forget) [known, lists].forEach((kept) => kept.clear())
    const fresh = tools.filter(({ key }) => !known.has(key))
    for (const key of keys) known.add(key)
    lists.set(name, lists.size)
    const items = Object.fromEntries(fresh.map(({ key, item }) => [key, item]))
    return { list: lists.size - 1, made: { keys, fresh: items, forget } }
  }
}

/**
 * The process's side: keeps what was sent. The same key always gives the same object, and the same list the
 * same array, so that what was worked out for them is found again. Throws for what was never sent.
 */
export function createToolReceiver(): (sent: SentTools) => readonly CatalogueTool[] {
  const kept = new Map<string, CatalogueTool>()
  const lists = new Map<number, readonly CatalogueTool[]>()
  return ({ list, made }) => {
    if (made?.forget) [kept, lists].forEach((one) => one.clear())
    for (const [key, item] of Object.entries(made?.fresh ?? {})) kept.set(key, item)
    if (made)
      lists.set(
        list,
        made.keys.map((key) => existing(kept.get(key), key)),
      )
    return existing(lists.get(list), `list ${list}`)
  }
}

function existing<T>(value: T | undefined, name: string): T {
  if (value === undefined) throw new Error(`something was named that was never sent: ${name}`)
  return value
}
