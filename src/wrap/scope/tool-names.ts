import { ROOM_TOOL_PREFIX } from '../../words/tool-words.ts'
import { shortHash } from '../../base/basics.ts'
import type { HiddenTool } from './scope.ts'
import type { CatalogueTool } from '../snapshot.ts'
import { findToolsDefinition } from './tool-definitions.ts'

export type UnnamedTool = Omit<CatalogueTool, 'name'>

const MAX_NAME_CHARACTERS = 64
/** Names of functions that wrap() itself adds. */
const RESERVED: ReadonlySet<string> = new Set([findToolsDefinition.name])

/**
 * Names tools for models: the id, without `sshawl_` if no other tool has that name. Replaces characters that
 * providers refuse, begins with a letter or an underscore (Gemini), and shortens with a hash. Names do not
 * depend on the order of the tools. Of two tools with one id, the first counts.
 */
export function nameTools(tools: readonly UnnamedTool[]): readonly CatalogueTool[] {
  const unique = [...new Map(tools.toReversed().map((tool) => [tool.id, tool])).values()].toReversed()
  const ids = new Set(unique.map((tool) => tool.id))
  let named = unique.map((tool) => ({ ...tool, name: legalName(preferredName(tool.id, ids), tool.id) }))
  // A name with a hash may be another tool's id, so the loop runs until all names are unique.
  for (let round = 0; ; round += 1) {
    const uses = new Map<string, number>()
    for (const { name } of named) uses.set(name, (uses.get(name) ?? 0) + 1)
    const isClear = (name: string): boolean => uses.get(name) === 1 && !RESERVED.has(name)
    if (named.every(({ name }) => isClear(name))) return named
    named = named.map((tool) => {
      const { id, name } = tool
      return isClear(name) ? tool : { ...tool, name: withHash(name, `${round === 0 ? '' : round}${id}`) }
    })
  }
}

function preferredName(id: string, ids: ReadonlySet<string>): string {
  const short = id.startsWith(ROOM_TOOL_PREFIX) ? id.slice(ROOM_TOOL_PREFIX.length) : id
  return short !== '' && !ids.has(short) ? short : id
}

function legalName(name: string, id: string): string {
  const known = name.replace(/[^A-Za-z0-9_-]/gu, '_')
  const clean = /^[A-Za-z_]/.test(known) ? known : `_${known}`
  return clean === name && clean.length <= MAX_NAME_CHARACTERS ? clean : withHash(clean, id)
}

/** The hash has an underscore and eight digits. */
const withHash = (name: string, id: string): string =>
  `${name.slice(0, MAX_NAME_CHARACTERS - 9)}_${shortHash(id)}`

/** A tool offered to the model, and the tools in the same scope that it replaces (`aliases`). */
export interface UniqueTool {
  readonly tool: CatalogueTool
  readonly aliases: readonly CatalogueTool[]
}

/** Both lists are in the order of the tools. */
interface UniqueTools {
  readonly offered: readonly UniqueTool[]
  readonly left: readonly HiddenTool[]
}

/**
 * Offers each function once, without unavailable tools. The first of several aliases replaces its tool, and a
 * tool with `yields` gives way to a tool whose id differs at most in case. Tools in `left` are not offered
 * but can be called.
 */
export function uniqueTools(visible: readonly CatalogueTool[]): UniqueTools {
  const usable = visible.filter(({ unavailable }) => unavailable === undefined)
  const offeredFor = offeredTools(usable)
  const aliases = new Map<CatalogueTool, CatalogueTool[]>()
  const left: HiddenTool[] = []
  for (const tool of visible) {
    const offered = offeredFor(tool)
    if (tool.unavailable !== undefined) left.push({ tool, reason: `cannot run here: ${tool.unavailable}` })
    else if (offered !== tool) {
      left.push({ tool, reason: `${offered.name} stands for it` })
      aliases.set(offered, [...(aliases.get(offered) ?? []), tool])
    }
  }
  const offered = usable.filter((tool) => offeredFor(tool) === tool)
  return { offered: offered.map((tool) => ({ tool, aliases: aliases.get(tool) ?? [] })), left }
}

function offeredTools(usable: readonly CatalogueTool[]): (tool: CatalogueTool) => CatalogueTool {
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

const rootOf = ({ id, aliasOf }: CatalogueTool): string => aliasOf.at(-1) ?? id
