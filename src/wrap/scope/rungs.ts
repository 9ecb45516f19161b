import { isJsonObject, type Json } from '../../base/json.ts'
import type { ChosenTools, LayerFacts, Selection } from '../layers.ts'
import type { Framing } from '../model-settings.ts'
import type { TokenCounter } from '../ports.ts'
import type { PromptTool, ToolForm } from '../prompt.ts'
import { rungOrder, type RungOrder, type RungStep } from './rung-order.ts'
import type { CatalogueTool } from '../snapshot.ts'
import { definitionTokens, findToolsDefinition, type Pricer } from './tool-definitions.ts'
import { type UniqueTool, uniqueTools } from './tool-names.ts'

/** Takes the first steps of one order (rung-order.ts) that fit, so that a larger allowance lowers no form. */
export function selectTools(visible: readonly CatalogueTool[], words: Json, facts: LayerFacts): Selection {
  const { snapshot, target, price, allowance } = facts
  const { toolCalls: calls = {}, inTurn, model } = snapshot
  const { reserve, found, called } = inTurn ?? { reserve: 0, found: [], called: [] }
  const { maxTools = Infinity } = model.framing
  const { offered } = uniqueTools(visible)
  const order = rungOrder(offered, { target: target + reserve, maxTools, calls, found, called, price })
  const toolWords = readWords(words)
  const costs = createStepCosts(offered, order, toolWords, facts)
  const forms = new Map<UniqueTool, ToolForm>(offered.map((one) => [one, 'deferred']))
  for (const { tool, form } of order.steps.slice(0, stepsTaken(order, costs, allowance)))
    forms.set(tool, form)
  const idsWith = (wanted: ToolForm): readonly string[] =>
    [...forms].flatMap(([{ tool, aliases }, form]) =>
      form === wanted ? [tool, ...aliases].map(({ id }) => id) : [],
    )
  return {
    chosen: { full: idsWith('full'), short: idsWith('short'), deferred: idsWith('deferred') },
    text: offered.length > 0 ? textOf(forms, order, toolWords, facts) : '',
    cheapest: costs(0) > allowance,
    findable: Math.max(0, allowance - costs(order.calledSteps)),
  }
}

/** Returns the number of steps that fit. All tools may cost less than a few: they need no `find_tools`. */
function stepsTaken({ steps, allSteps }: RungOrder, cost: Costs, allowance: number): number {
  let taken = allSteps !== undefined && cost(allSteps) <= allowance ? allSteps : 0
  while (taken < steps.length && cost(taken + 1) <= allowance) taken += 1
  return taken
}

/** Texts around tools' lines. Each begins at the margin and ends with a line break, so that tokens add up. */
interface ToolWords {
  /** Precedes the lines of the tools that are sent. */
  readonly loaded: string
  /** Precedes the names of deferred tools. */
  readonly deferred: string
  /** The last line if not all names are listed; `%d` is the number of missing names. */
  readonly more: string
}

/** Accepts any value, because a script may set the texts to anything. */
function readWords(words: Json): ToolWords {
  const { loaded, deferred, more } = isJsonObject(words) ? words : {}
  const text = (value: Json | undefined): string => (typeof value === 'string' ? value : '')
  return { loaded: text(loaded), deferred: text(deferred), more: text(more) }
}

/** Returns the most tokens that the first steps may take, with headings, lines and names. */
type Costs = (steps: number) => number

function createStepCosts(
  offered: readonly UniqueTool[],
  { steps, allSteps }: RungOrder,
  words: ToolWords,
  { snapshot, counter, price, allowance }: LayerFacts,
): Costs {
  const heading = counter.count(words.loaded)
  const search = searchTokens(snapshot.model.framing, counter)
  const allNamesTokens = offered.reduce((sum, one) => sum + nameTokens(one, price), 0)
  /** Tokens by number of steps; `names` is for the tools that stay deferred. */
  const sums = [{ loaded: 0, names: allNamesTokens }]
  return (number) => {
    for (const step of steps.slice(sums.length - 1, number)) {
      const { loaded, names } = sums.at(-1) ?? { loaded: 0, names: 0 }
      if (loaded > allowance) break
      const listed = step.from === 'deferred' ? nameTokens(step.tool, price) : 0
      // A definition of a million characters takes a second to count, and is not sent anyway.
      const isFarAbove = price.isFarAbove(step.tool.tool, step.form, allowance)
      sums.push({ loaded: isFarAbove ? Infinity : loaded + costOf(step, price), names: names - listed })
    }
    const { loaded, names } = sums[number] ?? { loaded: Infinity, names: 0 }
    if (allSteps !== undefined && number >= allSteps) return heading + loaded
    return heading + loaded + search + counter.count(words.deferred) + Math.min(names, namesBudget(allowance))
  }
}

function costOf({ tool: { tool }, from, form }: RungStep, price: Pricer): number {
  const cost = (one: ToolForm): number => price.of(tool, one).sent.tokens + price.of(tool, one).lineTokens
  return from === 'deferred' ? cost(form) : cost(form) - cost(from)
}

const nameTokens = ({ tool }: UniqueTool, price: Pricer): number => price.of(tool, 'deferred').lineTokens

/** Returns the tokens for names of deferred tools: a fixed share, so a larger allowance has more names. */
const namesBudget = (allowance: number): number => Math.floor(allowance / 4)

/** Writes tools in the order of the catalogue, so that lines keep their positions. */
function textOf(
  forms: ReadonlyMap<UniqueTool, ToolForm>,
  { inOrder }: RungOrder,
  words: ToolWords,
  facts: LayerFacts,
): string {
  const { price } = facts
  const lines = [...forms].flatMap(([{ tool }, form]) =>
    form === 'deferred' ? [] : price.of(tool, form).line,
  )
  const deferred = inOrder.filter((one) => forms.get(one) === 'deferred')
  if (deferred.length === 0) return words.loaded + lines.join('')
  const { listed, more } = listNames(deferred, words.more, facts)
  const inText = new Set(listed)
  const names = [...forms.keys()].flatMap((one) =>
    inText.has(one) ? price.of(one.tool, 'deferred').line : [],
  )
  return [words.loaded, ...lines, words.deferred, ...names, more].join('')
}

/** `more` is the line with the number of tools that are not listed. */
function listNames(
  deferred: readonly UniqueTool[],
  more: string,
  { price, allowance, counter }: LayerFacts,
): { readonly listed: readonly UniqueTool[]; readonly more: string } {
  let left = namesBudget(allowance)
  if (deferred.reduce((sum, one) => sum + nameTokens(one, price), 0) <= left)
    return { listed: deferred, more: '' }
  const moreOf = (number: number): string => more.replace('%d', String(number))
  // No smaller number has more tokens than the number of all tools.
  left -= counter.count(moreOf(deferred.length))
  if (left < 0) return { listed: [], more: '' }
  const end = deferred.findIndex((one) => (left -= nameTokens(one, price)) < 0)
  return { listed: deferred.slice(0, end), more: moreOf(deferred.length - end) }
}

export interface PricedTools {
  readonly tools: readonly PromptTool[]
  readonly tokens: number
  /** The tokens that the tools and their layer's text may have. */
  readonly cap: number
  /** The tools' part of the target; if `cap` is less, more important layers need the rest. */
  readonly share: number
  /** True if no further run can choose cheaper tools. */
  readonly last: boolean
}

interface PriceTerms extends Pick<PricedTools, 'cap' | 'share' | 'last'> {
  readonly framing: Framing
  readonly counter: TokenCounter
  readonly price: Pricer
}

/** Counts the chosen tools. Sends only tools in scope, and `find_tools` if any tool is deferred. */
export function priceTools(
  inScope: readonly CatalogueTool[],
  chosen: ChosenTools,
  { framing, counter, price, ...limits }: PriceTerms,
): PricedTools | undefined {
  const found = toolsWithForms(inScope, chosen)
  if (found.length === 0) return undefined
  const tools = found.map(({ tool, form, aliases }): PromptTool => {
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

/** Returns the chosen tools in the order of the catalogue. */
export function toolsWithForms(
  inScope: readonly CatalogueTool[],
  chosen: ChosenTools,
): readonly (UniqueTool & { readonly form: ToolForm })[] {
  const forms = new Map<string, ToolForm>()
  for (const form of ['full', 'short', 'deferred'] as const)
    for (const id of chosen[form]) forms.set(id, form)
  const { offered } = uniqueTools(inScope.filter(({ id }) => forms.has(id)))
  return offered.map((one) => ({ ...one, form: forms.get(one.tool.id) ?? 'deferred' }))
}

const searchTokens = (framing: Framing, counter: TokenCounter): number =>
  definitionTokens(findToolsDefinition, framing, counter)
