import type { Framing } from './model-settings.ts'
import type { TokenCounter } from './ports.ts'
import type { PromptTool, ToolForm } from './prompt.ts'
import type { CatalogueTool } from './snapshot.ts'
import { definitionTokens, findToolsDefinition, type Pricer } from './tool-definitions.ts'
import { type OfferedTool, uniqueTools } from './tool-names.ts'

/** Ids of all tools that can be called, aliases included, by the form that the layer's text was made for. */
export type ChosenTools = Readonly<Record<ToolForm, readonly string[]>>

/** What a tools layer gets: the tools by their rungs, and its text, which is empty if there are none. */
export interface Selection {
  readonly chosen: ChosenTools
  readonly text: string
  /** True if it cannot be had for less. */
  readonly cheapest: boolean
  /** Tokens that definitions which are found later may have. */
  readonly findable: number
}

export interface ToolOffer {
  readonly tools: readonly PromptTool[]
  readonly tokens: number
  /** Tokens that the tools and their layer's text may have together; 0 if they must be left out. */
  readonly cap: number
  /** Their share of the target; if `cap` is less, layers that are more important need the rest. */
  readonly share: number
  /** True if they cannot be had for less: then the layer is dropped. */
  readonly last: boolean
}

interface OfferTerms extends Pick<ToolOffer, 'cap' | 'share' | 'last'> {
  readonly framing: Framing
  readonly counter: TokenCounter
  readonly price: Pricer
}

/**
 * The offer of these tools; undefined if there are none. Only tools of the snapshot are ever sent, whatever a script
 * names, each function once. Deferred ones come with `find_tools`.
 */
export function offerTools(
  inScope: readonly CatalogueTool[],
  chosen: ChosenTools,
  { framing, counter, price, ...limits }: OfferTerms,
): ToolOffer | undefined {
  const offered = offeredOf(inScope, chosen)
  if (offered.length === 0) return undefined
  const tools = offered.map(({ tool, form, aliases }): PromptTool => {
    const { sent } = price.of(tool, form)
    return aliases.length === 0 ? sent : { ...sent, standsFor: aliases.map(({ id }) => id) }
  })
  if (tools.some(({ form }) => form === 'deferred')) {
    const { name } = findToolsDefinition
    const tokens = searchTokens(framing, counter)
    tools.push({ id: name, name, form: 'full', tokens, definition: findToolsDefinition })
  }
  return { tools, tokens: tools.reduce((sum, tool) => sum + tool.tokens, 0), ...limits }
}

/** What is offered of the chosen tools, in the order of the tools, each in its form. */
export function offeredOf(
  inScope: readonly CatalogueTool[],
  chosen: ChosenTools,
): readonly (OfferedTool & { readonly form: ToolForm })[] {
  const forms = new Map<string, ToolForm>()
  for (const form of ['full', 'short', 'deferred'] as const)
    for (const id of chosen[form]) forms.set(id, form)
  const { offered } = uniqueTools(inScope.filter(({ id }) => forms.has(id)))
  return offered.map((one) => ({ ...one, form: forms.get(one.tool.id) ?? 'deferred' }))
}

export const searchTokens = (framing: Framing, counter: TokenCounter): number =>
  definitionTokens(findToolsDefinition, framing, counter)
