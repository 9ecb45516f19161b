import { definitionTokens } from './definitions.ts'
import type { OfferedTool } from './each-once.ts'
import { findToolsDefinition } from './find-tools.ts'
import type { Framing } from './framing.ts'
import type { TokenCounter } from './ports.ts'
import type { Pricer } from './price-list.ts'
import type { PromptTool, ToolForm } from './prompt.ts'
import type { CatalogueTool } from './snapshot.ts'

/** The tools that a layer tells of, and the form that its text was made for. */
export interface ChosenTools {
  readonly form: ToolForm
  readonly ids: readonly string[]
}

/** The tools that go with a layer, in one form. */
export interface ToolOffer {
  readonly tools: readonly PromptTool[]
  /** Tokens of all their definitions. */
  readonly tokens: number
  /** Tokens that the tools and their layer's text may have together. */
  readonly cap: number
  /** True if there is no cheaper form: then the layer's text is trimmed or dropped instead. */
  readonly last: boolean
}

/** From the most tokens to the fewest. */
const FORMS: readonly ToolForm[] = ['full', 'short', 'deferred']

/** The cheaper one of two forms. */
export const cheaperOf = (a: ToolForm, b: ToolForm): ToolForm => (FORMS.indexOf(a) > FORMS.indexOf(b) ? a : b)

/** The next cheaper form; undefined where there is none. */
export const nextCheaper = (form: ToolForm): ToolForm | undefined => FORMS[FORMS.indexOf(form) + 1]

/**
 * The first form, from `first` on, in which the definitions and lines of these tools have at most `cap` tokens;
 * 'deferred' if there is none. The heading is not counted: this is an early estimate, and the budget counts exactly.
 */
export function affordableForm(
  tools: readonly CatalogueTool[],
  first: ToolForm,
  cap: number,
  price: Pricer,
): ToolForm {
  const tokensIn = (form: ToolForm): number =>
    tools.reduce((sum, tool) => sum + price(tool, form).sent.tokens + price(tool, form).lineTokens, 0)
  return FORMS.slice(FORMS.indexOf(first)).find((form) => tokensIn(form) <= cap) ?? 'deferred'
}

/** What it takes to offer tools. */
export interface OfferTerms {
  readonly form: ToolForm
  /** Tokens that the tools and their layer's text may have together. */
  readonly cap: number
  readonly framing: Framing
  readonly counter: TokenCounter
  readonly price: Pricer
}

/** The offer of these tools; undefined where there are none. Deferred ones come with `find_tools`. */
export function offerTools(
  tools: readonly OfferedTool[],
  { form, cap, framing, counter, price }: OfferTerms,
): ToolOffer | undefined {
  if (tools.length === 0) return undefined
  const last = form === 'deferred'
  const priced = tools.map(({ tool, standsFor }) => withOthers(price(tool, form).sent, standsFor))
  const sent = last ? [...priced, findTools(framing, counter)] : priced
  return { tools: sent, tokens: sent.reduce((sum, tool) => sum + tool.tokens, 0), cap, last }
}

const withOthers = (sent: PromptTool, others: readonly CatalogueTool[]): PromptTool =>
  others.length === 0 ? sent : { ...sent, standsFor: others.map(({ id }) => id) }

const findTools = (framing: Framing, counter: TokenCounter): PromptTool => ({
  id: findToolsDefinition.name,
  name: findToolsDefinition.name,
  form: 'full',
  tokens: definitionTokens(findToolsDefinition, framing, counter),
  definition: findToolsDefinition,
})
