import { shortHash } from './hash.ts'
import type { CatalogueTool } from './snapshot.ts'

/** A tool that has not got the name yet by which models call it. */
export type UnnamedTool = Omit<CatalogueTool, 'name'>

const prefix = 'sshawl_'
const longest = 64
/** Names of functions that wrap() itself adds (prompt/find-tools.ts). */
const reserved = new Set(['find_tools'])

/**
 * Gives every tool the name by which models call it: the id, without `sshawl_` where that leaves no doubt,
 * with what providers do not take replaced, and shortened with a hash. A tool's name depends only on which
 * ids there are, not on their order; the order of the tools stays. Of two tools with one id the first counts.
 */
export function nameTools(tools: readonly UnnamedTool[]): readonly CatalogueTool[] {
  const unique = [...new Map(tools.toReversed().map((tool) => [tool.id, tool])).values()].toReversed()
  const ids = new Set(unique.map((tool) => tool.id))
  const wanted = new Map(unique.map((tool) => [tool.id, legal(preferred(tool.id, ids), tool.id)]))
  const uses = countOf(wanted.values())
  return unique.map((tool) => {
    const name = wanted.get(tool.id)!
    const clear = uses.get(name) === 1 && !reserved.has(name)
    return { ...tool, name: clear ? name : hashed(name, tool.id) }
  })
}

function preferred(id: string, ids: ReadonlySet<string>): string {
  const short = id.startsWith(prefix) ? id.slice(prefix.length) : id
  return short !== '' && !ids.has(short) ? short : id
}

function legal(name: string, id: string): string {
  const clean = name.replace(/[^A-Za-z0-9_-]/gu, '_')
  return clean === name && clean.length <= longest && clean !== '' ? clean : hashed(clean, id)
}

const hashed = (name: string, id: string): string => `${name.slice(0, longest - 9)}_${shortHash(id)}`

function countOf(names: Iterable<string>): ReadonlyMap<string, number> {
  const counts = new Map<string, number>()
  for (const name of names) counts.set(name, (counts.get(name) ?? 0) + 1)
  return counts
}
