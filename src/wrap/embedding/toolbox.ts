import { definitionOf } from '../scope/tool-definitions.ts'
import { textForModels } from '../../words/outside.ts'
import { uniqueTools } from '../scope/tool-names.ts'
import type { ToolDefinition } from '../prompt.ts'
import { resolveScope as resolveIn, type Resolution } from '../scope/scope.ts'
import { createCatalogue, type Catalogue } from '../toolbox/catalogue.ts'
import { directOffer } from '../toolbox/direct-offer.ts'
import { cleanResult } from '../toolbox/results.ts'
import { ToolRunner } from '../toolbox/run-tool.ts'
import type { AvailableTools } from '../toolbox/available-tools.ts'
import { toolboxOf, type Toolbox, type ToolReply } from '../toolbox/toolbox.ts'
import { denyAll, type PermissionProvider, type Tool } from '../../tools/index.ts'
import { contextOf, DEFAULT_LIMITS, NO_LOG, type ProgramChat, type ProgramContext } from './context.ts'

export interface ToolSet {
  readonly tools: readonly Tool[]
  /** `"all"` (default), `"none"` or patterns. Hidden tools are neither sent nor run. */
  readonly scope?: unknown
}

export interface ToolboxOptions extends ToolSet {
  /** Default: `denyAll`. */
  readonly permissions?: PermissionProvider
  readonly context?: ProgramContext
  readonly chat?: ProgramChat
}

export interface ProgramToolbox extends Toolbox {
  /** Returns each function once. */
  definitions(): readonly ToolDefinition[]
  /** Returns the visible tools, and the hidden ones with reasons. */
  resolution(): Resolution
  /** Takes effect with the next call. If it throws, as `createToolbox` does, the old tools stay. */
  rebuild(set: ToolSet): void
}

/** Throws an `Error` if two tools have the same ID. */
export function createToolbox(options: ToolboxOptions): ProgramToolbox {
  const { permissions = denyAll, context = {}, chat = {} } = options
  const { limits = DEFAULT_LIMITS, log = NO_LOG } = context
  let now = reachOf(options)
  const given = contextOf(context, permissions, chat)
  const toolbox = toolboxOf<ToolReply>({
    names: directOffer,
    currentTools: async () => now,
    caller: { context: async () => given },
    runner: new ToolRunner(limits, log),
    async record({ call }) {
      return async ({ result }) => {
        const { content: text, isError, outside } = cleanResult(result, limits.outputBytes)
        const read = textForModels({ text, ...(outside ? { outside } : {}) })
        return { call: call.id, name: call.name, text: read, isError }
      }
    },
  })
  return {
    ...toolbox,
    definitions: () => uniqueTools(now.visible).offered.map(({ tool }) => definitionOf(tool, 'full')),
    resolution: () => now,
    rebuild: (set) => void (now = reachOf(set)),
  }
}

/** Throws as `createToolbox`. */
export const resolveScope = (scope: unknown, tools: readonly Tool[]): Resolution => reachOf({ scope, tools })

function reachOf({ tools, scope = 'all' }: ToolSet): AvailableTools & Resolution {
  const catalogue = catalogueOf(tools)
  return { ...resolveIn(scope, catalogue.tools), catalogue }
}

function catalogueOf(tools: readonly Tool[]): Catalogue {
  const ids = tools.map(({ id }) => id)
  const twice = ids.find((id, index) => ids.indexOf(id) !== index)
  if (twice !== undefined) throw new Error(`two tools have the id ${twice}; give one of them another`)
  const listed = [...tools]
  const source = { group: 'builtin', name: 'builtin', tools: () => listed } as const
  return createCatalogue({ sources: [source], disabled: [], log: NO_LOG })()
}
