import { createHash } from 'node:crypto'
import type { CatalogueTool } from '../../prompt/snapshot.ts'
import type { ToolParcel } from './process/protocol.ts'

/** A tool and the hash of all that it says. */
export interface HashedTool {
  readonly hash: string
  readonly tool: CatalogueTool
}

/** Tools that a process remembers; past them it starts anew. */
const mostKnown = 4096

/** Gives tools with their hashes; each object is hashed once. Throws where a tool is not plain data. */
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

/** Packs tools for one process: what went there before is named by its hash only. */
export function createPacker(): (tools: readonly HashedTool[]) => ToolParcel {
  const known = new Set<string>()
  return (tools) => {
    const forget = known.size + tools.length > mostKnown
    if (forget) known.clear()
    const fresh = Object.fromEntries(
      tools.filter(({ hash }) => !known.has(hash)).map(({ hash, tool }) => [hash, tool]),
    )
    for (const { hash } of tools) known.add(hash)
    return { tools: tools.map(({ hash }) => hash), fresh, forget }
  }
}
