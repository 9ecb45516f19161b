import { ROOM_TOOL_PREFIX } from '../chat/tool-words.ts'
import { shortHash } from '../lib/hash.ts'
import { findToolsDefinition } from './tool-definitions.ts'
import type { CatalogueTool } from './snapshot.ts'
import type { HiddenTool } from './scope.ts'

/** A tool that has not got the name yet by which models call it. */
export type UnnamedTool = Omit<CatalogueTool, 'name'>

const MAX_NAME_CHARACTERS = 64
/** Names of functions that wrap() itself adds. */
const RESERVED: ReadonlySet<string> = new Set([findToolsDefinition.name])

/**
 * Gives every tool the name by which models call it: the id, without `sshawl_` if no other tool is called so, with the
 * characters that providers refuse replaced, and shortened with a hash. It begins with a letter or an underscore, as
 * Gemini wants it. Names do not depend on the order of the tools. Of two tools with one id the first counts.
 */
export function nameTools(tools: readonly UnnamedTool[]): readonly CatalogueTool[] {
  const unique = [...new Map(tools.toReversed().map((tool) => [tool.id, tool])).values()].toReversed()
  const ids = new Set(unique.map((tool) => tool.id))
  return withClearNames(unique.map((tool) => ({ ...tool, name: legal(preferred(tool.id, ids), tool.id) })))
}

/** A name with a hash may be the id of another tool, so what is not clear is hashed until all are. */
function withClearNames(named: readonly CatalogueTool[], round = 0): readonly CatalogueTool[] {
  const uses = countOf(named.map((tool) => tool.name))
  const isClear = ({ name }: CatalogueTool): boolean => uses.get(name) === 1 && !RESERVED.has(name)
  if (named.every(isClear)) return named
  const renamed = named.map((tool) =>
    isClear(tool) ? tool : { ...tool, name: hashed(tool.name, `${round === 0 ? '' : round}${tool.id}`) },
  )
  return withClearNames(renamed, round + 1)
}

function preferred(id: string, ids: ReadonlySet<string>): string {
  // Dropped where the rest is no other tool's id.
  const short = id.startsWith(ROOM_TOOL_PREFIX) ? id.slice(ROOM_TOOL_PREFIX.length) : id
  return short !== '' && !ids.has(short) ? short : id
}

function legal(name: string, id: string): string {
  const known = name.replace(/[^A-Za-z0-9_-]/gu, '_')
  const clean = /^[A-Za-z_]/.test(known) ? known : `_${known}`
  return clean === name && clean.length <= MAX_NAME_CHARACTERS && clean !== '' ? clean : hashed(clean, id)
}

/** The hash has eight digits and an underscore before it. */
const hashed = (name: string, id: string): string =>
  `${name.slice(0, MAX_NAME_CHARACTERS - 9)}_${shortHash(id)}`

function countOf(names: readonly string[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>()
  for (const name of names) counts.set(name, (counts.get(name) ?? 0) + 1)
  return counts
}

/** A tool that is offered, and the tools in the same scope that it stands for. */
export interface OfferedTool {
  readonly tool: CatalogueTool
  readonly standsFor: readonly CatalogueTool[]
}

/** What is offered of the tools that a scope shows, and why the others are not; each list in the order of the tools. */
export interface OncePerFunction {
  readonly offered: readonly OfferedTool[]
  readonly left: readonly HiddenTool[]
}

/**
 * Offers each function once, and only tools that can run here. The first alias stands for its tool. A tool that yields
 * gives way to one that is called the same but for the case. The scope decides what may be called: also a tool that
 * another one stands for.
 */
export function eachOnce(visible: readonly CatalogueTool[]): OncePerFunction {
  const usable = visible.filter(({ unavailable }) => unavailable === undefined)
  const standInFor = standIns(usable)
  const others = new Map<CatalogueTool, CatalogueTool[]>()
  for (const tool of usable) {
    const standIn = standInFor(tool)
    others.set(standIn, [...(others.get(standIn) ?? []), ...(standIn === tool ? [] : [tool])])
  }
  const offered = usable.filter((tool) => standInFor(tool) === tool)
  return {
    offered: offered.map((tool) => ({ tool, standsFor: others.get(tool) ?? [] })),
    left: visible.flatMap((tool) => {
      if (tool.unavailable !== undefined) return { tool, reason: `cannot run here: ${tool.unavailable}` }
      const standIn = standInFor(tool)
      return standIn === tool ? [] : { tool, reason: `${standIn.name} stands for it` }
    }),
  }
}

/** Gives the function that says which tool is offered in place of one; the tool itself if there is no other. */
function standIns(usable: readonly CatalogueTool[]): (tool: CatalogueTool) => CatalogueTool {
  const aliases = new Map<string, CatalogueTool>()
  const successors = new Map<string, CatalogueTool>()
  for (const tool of usable.toReversed()) {
    if (tool.aliasOf.length > 0) aliases.set(rootOf(tool), tool)
    if (!tool.yields) successors.set(rootOf(tool).toLowerCase(), tool)
  }
  return (tool) => {
    const successor = tool.yields ? successors.get(rootOf(tool).toLowerCase()) : undefined
    const one = successor ?? tool
    return aliases.get(rootOf(one)) ?? one
  }
}

/** The id of the tool that this one is another name for; its own where it is none. */
const rootOf = ({ id, aliasOf }: CatalogueTool): string => aliasOf.at(-1) ?? id
