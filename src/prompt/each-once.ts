import type { HiddenTool } from './scope.ts'
import type { CatalogueTool } from './snapshot.ts'

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
 * Offers each function once, and only what can run here. An alias stands for its tool, the first one where there are
 * several. A tool that yields gives way to one that is called the same but for the case. What may be called is not decided
 * here but by the scope: a tool that another one stands for can be called too.
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
