import { definitionTokens, findToolsDefinition, type Pricer } from './tool-definitions.ts'
import { eachOnce, type OfferedTool } from './tool-names.ts'
import type { Framing } from './model-settings.ts'
import type { TokenCounter } from './ports.ts'
import type { PromptTool, ToolForm } from './prompt.ts'
import type { CatalogueTool } from './snapshot.ts'

/** Ids of the tools that a layer tells of, by the form that its text was made for. */
export type ChosenTools = Readonly<Record<ToolForm, readonly string[]>>

/** What a tools layer gets: the tools by their rungs, and its text, which is empty if there are none. */
export interface Selection {
  /** All that can be called, also what another tool stands for. */
  readonly chosen: ChosenTools
  readonly text: string
  /** True if it cannot be had for less. */
  readonly cheapest: boolean
  /** Tokens that definitions may have that are found later. */
  readonly findable: number
}

/** The tools that go with a layer. */
export interface ToolOffer {
  readonly tools: readonly PromptTool[]
  /** Tokens of all their definitions. */
  readonly tokens: number
  /** Tokens that the tools and their layer's text may have together; 0 if they must be left out. */
  readonly cap: number
  /** Their share of the target; where `cap` is less, layers that are more important need the rest. */
  readonly share: number
  /** True if they cannot be had for less: then the layer is dropped. */
  readonly last: boolean
}

export interface OfferTerms extends Pick<ToolOffer, 'cap' | 'share' | 'last'> {
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
  const priced = offered.map(({ tool, form, standsFor }) => withOthers(price.of(tool, form).sent, standsFor))
  const isDeferred = priced.some(({ form }) => form === 'deferred')
  const tools = isDeferred ? [...priced, findTools(framing, counter)] : priced
  return { tools, tokens: tools.reduce((sum, tool) => sum + tool.tokens, 0), ...limits }
}

/** What is offered of the chosen tools, in the order of the tools, each in its form. */
export function offeredOf(
  inScope: readonly CatalogueTool[],
  chosen: ChosenTools,
): readonly (OfferedTool & { readonly form: ToolForm })[] {
  const forms = formsOf(chosen)
  const { offered } = eachOnce(inScope.filter(({ id }) => forms.has(id)))
  return offered.map((one) => ({ ...one, form: forms.get(one.tool.id) ?? 'deferred' }))
}

const formsOf = (chosen: ChosenTools): ReadonlyMap<string, ToolForm> =>
  new Map(
    (['full', 'short', 'deferred'] as const).flatMap((form) => chosen[form].map((id) => [id, form] as const)),
  )

const withOthers = (sent: PromptTool, others: readonly CatalogueTool[]): PromptTool =>
  others.length === 0 ? sent : { ...sent, standsFor: others.map(({ id }) => id) }

/** Tokens of the definition of `find_tools`. */
export const searchTokens = (framing: Framing, counter: TokenCounter): number =>
  definitionTokens(findToolsDefinition, framing, counter)

const findTools = (framing: Framing, counter: TokenCounter): PromptTool => ({
  id: findToolsDefinition.name,
  name: findToolsDefinition.name,
  form: 'full',
  tokens: searchTokens(framing, counter),
  definition: findToolsDefinition,
})
