import type { Prompt, PromptTool } from '../prompt.ts'

/** Tools that come from one source: `builtin`, `internal`, `wrapped`, or the name of a server. */
export interface SourceGroup {
  readonly source: string
  readonly tools: readonly PromptTool[]
  /** Of all their definitions, as they are sent. */
  readonly tokens: number
}

/** The tools of a prompt by their source, which `sources` has by id, in the order of the first of each. */
export function toolGroups(
  tools: readonly PromptTool[],
  sources: ReadonlyMap<string, string>,
): readonly SourceGroup[] {
  const groups = new Map<string, PromptTool[]>()
  for (const tool of tools) {
    // `find_tools` comes with a prompt and is in no catalogue.
    const source = sources.get(tool.id) ?? tool.name
    groups.set(source, [...(groups.get(source) ?? []), tool])
  }
  return [...groups].map(([source, own]) => ({
    source,
    tools: own,
    tokens: own.reduce((sum, { tokens }) => sum + tokens, 0),
  }))
}

/** A prompt that is shown. */
export interface ShownPrompt {
  readonly model: string
  readonly prompt: Prompt
  readonly groups: readonly SourceGroup[]
}
