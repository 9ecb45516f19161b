import { definitionOf, findToolsDefinition } from '../scope/tool-definitions.ts'
import type { Prompt, PromptTool, ToolDefinition } from '../prompt.ts'
import type { CatalogueTool } from '../snapshot.ts'

export type ToolWithoutDefinition = Omit<PromptTool, 'definition'>

/** A prompt without definitions, which a process that has the tools can create again. */
export interface SentPrompt extends Omit<Prompt, 'tools'> {
  readonly tools: readonly ToolWithoutDefinition[]
}

const withoutDefinition = ({ id, name, form, tokens, standsFor }: PromptTool): ToolWithoutDefinition => ({
  id,
  name,
  form,
  tokens,
  ...(standsFor ? { standsFor } : {}),
})

/** Returns a function that removes definitions. It returns the same list for the same list. */
export function createDefinitionRemover(): (
  tools: readonly PromptTool[],
) => readonly ToolWithoutDefinition[] {
  const known = new WeakMap<readonly PromptTool[], readonly ToolWithoutDefinition[]>()
  const none: readonly ToolWithoutDefinition[] = []
  return (tools) => {
    if (tools.length === 0) return none
    const made = known.get(tools) ?? tools.map(withoutDefinition)
    known.set(tools, made)
    return made
  }
}

/** Returns a function that restores definitions, each created once while the tool's object lives. */
export function createDefinitions(): (prompt: SentPrompt, tools: readonly CatalogueTool[]) => Prompt {
  const made = { full: new WeakMap<CatalogueTool, ToolDefinition>(), short: new WeakMap() }
  const definition = (tool: CatalogueTool, form: 'full' | 'short'): ToolDefinition => {
    const known = made[form].get(tool) ?? definitionOf(tool, form)
    made[form].set(tool, known)
    return known
  }
  const define = (
    sent: readonly ToolWithoutDefinition[],
    tools: readonly CatalogueTool[],
  ): readonly PromptTool[] => {
    const byId = new Map(tools.map((tool) => [tool.id, tool]))
    return sent.map((one) => {
      const { form, id } = one
      const tool = byId.get(id)
      if (form === 'deferred') return one
      if (tool) return { ...one, definition: definition(tool, form) }
      return id === findToolsDefinition.name ? { ...one, definition: findToolsDefinition } : one
    })
  }
  const known = new WeakMap<readonly ToolWithoutDefinition[], ToolsAndDefinitions>()
  return (prompt, tools) => {
    const found = known.get(prompt.tools)
    const isSame = found?.of.length === tools.length && found.of.every((tool, at) => tool === tools[at])
    const { defined } = isSame ? found : { defined: define(prompt.tools, tools) }
    if (!isSame) known.set(prompt.tools, { of: tools, defined })
    return { ...prompt, tools: defined }
  }
}

interface ToolsAndDefinitions {
  readonly of: readonly CatalogueTool[]
  readonly defined: readonly PromptTool[]
}
