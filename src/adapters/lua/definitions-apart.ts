import { definitionOf, findToolsDefinition } from '../../prompt/tool-definitions.ts'
import type { Prompt, PromptTool, ToolDefinition } from '../../prompt/prompt.ts'
import type { CatalogueTool } from '../../prompt/snapshot.ts'

/** A tool of a prompt without its definition. */
export type UndefinedTool = Omit<PromptTool, 'definition'>

/** A prompt on its way between processes: without the definitions, which whoever has the tools can make again. */
export interface SentPrompt extends Omit<Prompt, 'tools'> {
  readonly tools: readonly UndefinedTool[]
}

const withoutDefinition = ({ id, name, form, tokens, standsFor }: PromptTool): UndefinedTool => ({
  id,
  name,
  form,
  tokens,
  ...(standsFor ? { standsFor } : {}),
})

/** Gives the function that takes the definitions away: of the same list the same list. */
export function createUndefining(): (tools: readonly PromptTool[]) => readonly UndefinedTool[] {
  const known = new WeakMap<readonly PromptTool[], readonly UndefinedTool[]>()
  const none: readonly UndefinedTool[] = []
  return (tools) => {
    if (tools.length === 0) return none
    const made = known.get(tools) ?? tools.map(withoutDefinition)
    known.set(tools, made)
    return made
  }
}

/** Gives the function that puts the definitions back. Each is made once for as long as the tool's object lives. */
export function createDefinitions(): (prompt: SentPrompt, tools: readonly CatalogueTool[]) => Prompt {
  const made = { full: new WeakMap<CatalogueTool, ToolDefinition>(), short: new WeakMap() }
  const definition = (tool: CatalogueTool, form: 'full' | 'short'): ToolDefinition => {
    const known = made[form].get(tool) ?? definitionOf(tool, form)
    made[form].set(tool, known)
    return known
  }
  const define = (sent: readonly UndefinedTool[], tools: readonly CatalogueTool[]): readonly PromptTool[] => {
    const byId = new Map(tools.map((tool) => [tool.id, tool]))
    return sent.map((one) => {
      const { form, id } = one
      const tool = byId.get(id)
      if (form === 'deferred') return one
      if (tool) return { ...one, definition: definition(tool, form) }
      return id === findToolsDefinition.name ? { ...one, definition: findToolsDefinition } : one
    })
  }
  const known = new WeakMap<readonly UndefinedTool[], Defined>()
  return (prompt, tools) => {
    const found = known.get(prompt.tools)
    const isSame = found?.of.length === tools.length && found.of.every((tool, at) => tool === tools[at])
    const { defined } = isSame ? found : { defined: define(prompt.tools, tools) }
    if (!isSame) known.set(prompt.tools, { of: tools, defined })
    return { ...prompt, tools: defined }
  }
}

interface Defined {
  readonly of: readonly CatalogueTool[]
  readonly defined: readonly PromptTool[]
}
