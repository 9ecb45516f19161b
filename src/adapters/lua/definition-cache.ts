import { createHash } from 'node:crypto'
import type { CatalogueTool } from '../../prompt/snapshot.ts'

/** The tools of one snapshot, as they cross to a wrap process: what it was sent before is named by its hash only. */
export interface SentTools {
  /** Hashes of their content, in order. */
  readonly tools: readonly string[]
  /** The tools that this process was not sent before, by hash. */
  readonly fresh: { readonly [hash: string]: CatalogueTool }
  /** True if the process is to forget all that it was sent before; `fresh` then has everything. */
  readonly forget: boolean
}

/** A tool and the hash of its content. */
export interface HashedTool {
  readonly hash: string
  readonly tool: CatalogueTool
}

/** With more tools than this, a process forgets all of them and is sent them anew. */
const MAX_TOOLS_KEPT = 4096

/** Adds hashes to tools; each object is hashed once. Throws if a tool is not plain data. */
export function createToolHashes(): (tools: readonly CatalogueTool[]) => readonly HashedTool[] {
  const hashes = new WeakMap<CatalogueTool, string>()
  return (tools) =>
    tools.map((tool) => {
      const hash = hashes.get(tool) ?? hashOf(tool)
      hashes.set(tool, hash)
      return { hash, tool }
    })
}

const hashOf = (tool: CatalogueTool): string =>
  createHash('sha256').update(JSON.stringify(tool)).digest('base64url').slice(0, 22)

/** The server's side of one process: knows what that process was sent. */
export function createToolSender(): (tools: readonly HashedTool[]) => SentTools {
  const known = new Set<string>()
  return (tools) => {
    const forget = known.size + tools.length > MAX_TOOLS_KEPT
    if (forget) known.clear()
    const fresh = tools.filter(({ hash }) => !known.has(hash))
    for (const { hash } of tools) known.add(hash)
    return {
      tools: tools.map(({ hash }) => hash),
      fresh: Object.fromEntries(fresh.map(({ hash, tool }) => [hash, tool])),
      forget,
    }
  }
}

/**
 * The process's side: keeps the tools that were sent. The same hash always gives the same object, so that what was
 * worked out for a tool is found again.
 */
export function createToolReceiver(): (sent: SentTools) => readonly CatalogueTool[] {
  const kept = new Map<string, CatalogueTool>()
  return ({ tools, fresh, forget }) => {
    if (forget) kept.clear()
    for (const [hash, tool] of Object.entries(fresh)) kept.set(hash, tool)
    return tools.map((hash) => {
      const tool = kept.get(hash)
      if (!tool) throw new Error(`a tool was named that was never sent: ${hash}`)
      return tool
    })
  }
}
