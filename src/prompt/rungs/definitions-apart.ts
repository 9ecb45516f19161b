import { definitionOf } from '../definitions.ts'
import { findToolsDefinition } from '../find-tools.ts'
import type { Prompt, PromptTool, ToolDefinition } from '../prompt.ts'
import type { CatalogueTool } from '../snapshot.ts'

/** A prompt on its way between processes: without the definitions, which whoever has the tools can make again. */
export interface SentPrompt extends Omit<Prompt, 'tools'> {
  readonly tools: readonly Omit<PromptTool, 'definition'>[]
}

/** The prompt without its definitions. */
export const withoutDefinitions = (prompt: Prompt): SentPrompt => ({
  ...prompt,
  tools: prompt.tools.map(({ id, name, form, tokens, standsFor }) => ({
    id,
    name,
    form,
    tokens,
    ...(standsFor ? { standsFor } : {}),
  })),
})

/** Gives the function that puts the definitions back. Each is made once for as long as the tool's object lives. */
export function createDefinitions(): (prompt: SentPrompt, tools: readonly CatalogueTool[]) => Prompt {
  const made = { full: new WeakMap<CatalogueTool, ToolDefinition>(), short: new WeakMap() }
  const definition = (tool: CatalogueTool, form: 'full' | 'short'): ToolDefinition => {
    const known = made[form].get(tool) ?? definitionOf(tool, form)
    made[form].set(tool, known)
    return known
  }
  return (prompt, tools) => {
    const byId = new Map(tools.map((tool) => [tool.id, tool]))
    const define = (sent: SentPrompt['tools'][number]): PromptTool => {
      const { form, id } = sent
      const tool = byId.get(id)
      if (form === 'deferred') return sent
      if (tool) return { ...sent, definition: definition(tool, form) }
      return id === findToolsDefinition.name ? { ...sent, definition: findToolsDefinition } : sent
    }
    return { ...prompt, tools: prompt.tools.map(define) }
  }
}
