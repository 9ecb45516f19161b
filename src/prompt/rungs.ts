import { isJsonObject, type Json } from '../lib/json.ts'
import { eachOnce, type OfferedTool } from './tool-names.ts'
import type { LayerFacts } from './layers.ts'
import type { ToolForm } from './prompt.ts'
import type { CatalogueTool, Snapshot } from './snapshot.ts'
import { searchTokens, type Selection } from './tool-offer.ts'
import type { Pricer } from './tool-definitions.ts'
import { rungOrder, type RungOrder, type RungStep, type ToolUse } from './rung-order.ts'

/** Chooses how much of each tool a prompt sends, for a layer that asks with its words. */
export function selectTools(
  visible: readonly CatalogueTool[],
  words: Json,
  { snapshot, target, counter, price, allowance }: LayerFacts,
): Selection {
  const { offered } = eachOnce(visible)
  const { framing } = snapshot.model
  const { forms, text, ...rest } = selectRungs(offered, {
    allowance,
    target: target + (snapshot.inTurn?.reserve ?? 0),
    maxTools: framing.maxTools ?? Infinity,
    searchTokens: searchTokens(framing, counter),
    use: useOf(snapshot),
    words: wordsOf(words),
    price,
    count: (part) => counter.count(part),
  })
  const idsWith = (wanted: ToolForm): readonly string[] =>
    [...forms].flatMap(([one, form]) => (form === wanted ? idsOf(one) : []))
  const chosen = { full: idsWith('full'), short: idsWith('short'), deferred: idsWith('deferred') }
  return { ...rest, chosen, text: offered.length > 0 ? text : '' }
}

const useOf = ({ toolCalls = {}, inTurn }: Snapshot) => ({
  calls: toolCalls,
  found: inTurn?.found ?? [],
  called: inTurn?.called ?? [],
})

const idsOf = ({ tool, standsFor }: OfferedTool): readonly string[] => [
  tool.id,
  ...standsFor.map(({ id }) => id),
]

/** lua/layers/tools.lua gives texts; a script that calls this may give anything. */
function wordsOf(words: Json): ToolWords {
  const { loaded, deferred, more } = isJsonObject(words) ? words : {}
  const text = (value: Json | undefined): string => (typeof value === 'string' ? value : '')
  return { loaded: text(loaded), deferred: text(deferred), more: text(more) }
}

export interface RungTerms {
  /** Tokens that the definitions and the text of the tools layer may have together. */
  readonly allowance: number
  /** Tokens that the whole prompt may have. It says which tools are too large to go before others, whatever the share. */
  readonly target: number
  /** Definitions that one request may have. */
  readonly maxTools: number
  /** Tokens of the definition of `find_tools`. */
  readonly searchTokens: number
  readonly use: ToolUse
  readonly words: ToolWords
  readonly price: Pricer
  readonly count: (text: string) => number
}

/** The rung of each tool, and the text that tells the model of them. */
export interface ChosenRungs {
  /** In the order of the tools. */
  readonly forms: ReadonlyMap<OfferedTool, ToolForm>
  readonly text: string
  /** True if even this is more than the allowance, and nothing is cheaper. */
  readonly cheapest: boolean
  /** Tokens that tools which are found may have in this turn, with their lines. */
  readonly findable: number
}

/**
 * Chooses a rung for each tool: the first steps of one order (rung-order.ts) that the allowance pays for. The order does
 * not depend on the allowance, so a larger one never gives any tool a lower rung. Only these tools are counted, so 500
 * long ones cost no more than what fits.
 */
export function selectRungs(offered: readonly OfferedTool[], terms: RungTerms): ChosenRungs {
  const order = rungOrder(offered, terms)
  const costs = createCosts(offered, order, terms)
  const forms = new Map<OfferedTool, ToolForm>(offered.map((one) => [one, 'deferred']))
  for (const { tool, form } of order.steps.slice(0, stepsTaken(order, costs))) forms.set(tool, form)
  const text = textOf(forms, order, terms)
  return {
    forms,
    text,
    cheapest: costs.most(0) > terms.allowance,
    findable: Math.max(0, terms.allowance - costs.most(order.calledSteps)),
  }
}

/** The first steps that fit together. All may be cheaper than some: then there is no `find_tools`. */
function stepsTaken({ steps, allSteps }: RungOrder, { fits }: Costs): number {
  let taken = allSteps !== undefined && fits(allSteps) ? allSteps : 0
  while (taken < steps.length && fits(taken + 1)) taken += 1
  return taken
}

/** What the first steps cost, headings, lines and names included. */
interface Costs {
  fits(steps: number): boolean
  /** The most that so many steps may come to. */
  most(steps: number): number
}

function createCosts(
  offered: readonly OfferedTool[],
  { steps, allSteps }: RungOrder,
  terms: RungTerms,
): Costs {
  const { allowance, searchTokens, words, price, count } = terms
  const heading = count(words.loaded)
  const nameTokens = ({ tool }: OfferedTool): number => price.of(tool, 'deferred').lineTokens
  const allNames = offered.reduce((sum, one) => sum + nameTokens(one), 0)
  /** At each index, what so many steps add to an empty list, and the names of the tools that they leave deferred. */
  const sums = [{ loaded: 0, names: allNames }]
  const sumAfter = (number: number): { loaded: number; names: number } => {
    for (const step of steps.slice(sums.length - 1, number)) {
      const { loaded, names } = sums.at(-1) ?? { loaded: 0, names: 0 }
      // What comes after is not even counted.
      if (loaded > allowance) break
      const listed = step.from === 'deferred' ? nameTokens(step.tool) : 0
      sums.push({ loaded: loaded + costOf(step, price), names: names - listed })
    }
    return sums[number] ?? { loaded: Infinity, names: 0 }
  }
  const most = (number: number): number => {
    const { loaded, names } = sumAfter(number)
    if (allSteps !== undefined && number >= allSteps) return heading + loaded
    const listed = Math.min(names, namesBudget(allowance))
    return heading + loaded + searchTokens + count(words.deferred) + listed
  }
  return { most, fits: (number) => most(number) <= allowance }
}

function costOf({ tool: { tool }, from, form }: RungStep, price: Pricer): number {
  const cost = (one: ToolForm): number => price.of(tool, one).sent.tokens + price.of(tool, one).lineTokens
  return from === 'deferred' ? cost(form) : cost(form) - cost(from)
}

/** Lines in the order of the catalogue: so they stay where they are while other tools change their rungs. */
function textOf(
  forms: ReadonlyMap<OfferedTool, ToolForm>,
  { inOrder }: RungOrder,
  { words, price, allowance, count }: RungTerms,
): string {
  const lines = [...forms].flatMap(([{ tool }, form]) =>
    form === 'deferred' ? [] : price.of(tool, form).line,
  )
  const deferred = inOrder.filter((one) => forms.get(one) === 'deferred')
  if (deferred.length === 0) return words.loaded + lines.join('')
  const names = deferred.map(({ tool }) => ({ tool, ...price.of(tool, 'deferred') }))
  const kept = deferredNames(names, namesBudget(allowance), words, count)
  const inText = [...forms.keys()].flatMap(({ tool }) => kept.lines.get(tool) ?? [])
  return [words.loaded, ...lines, words.deferred, ...inText, kept.more].join('')
}

/** The words of the tools layer. Each ends with a line break, and begins at the margin: so the tokens of its lines add up. */
export interface ToolWords {
  /** Stands before the lines of the tools that are sent. */
  readonly loaded: string
  /** Stands before the names of the tools that are not sent. */
  readonly deferred: string
  /** The last line where not all names are listed; `%d` is how many more there are. */
  readonly more: string
}

/** Tokens that the names of deferred tools may have of an allowance. A fixed part, so that a larger allowance pays for it. */
export const namesBudget = (allowance: number): number => Math.floor(allowance / 4)

/** The lines of deferred tools that are listed, and the line that says how many others there are. */
interface DeferredNames {
  readonly lines: ReadonlyMap<CatalogueTool, string>
  /** Empty where all are listed. */
  readonly more: string
}

/** Lists whole names, the first ones of `deferred`, as far as `allowance` tokens reach. */
export function deferredNames(
  deferred: readonly { readonly tool: CatalogueTool; readonly line: string; readonly lineTokens: number }[],
  allowance: number,
  { more }: Pick<ToolWords, 'more'>,
  count: (text: string) => number,
): DeferredNames {
  const linesOf = (listed: typeof deferred) => new Map(listed.map(({ tool, line }) => [tool, line]))
  if (tokensOf(deferred) <= allowance) return { lines: linesOf(deferred), more: '' }
  const moreOf = (left: number): string => more.replace('%d', String(left))
  // No smaller number has more tokens than that of all.
  let left = allowance - count(moreOf(deferred.length))
  if (left < 0) return { lines: new Map(), more: '' }
  const end = deferred.findIndex(({ lineTokens }) => (left -= lineTokens) < 0)
  const listed = deferred.slice(0, end)
  return { lines: linesOf(listed), more: moreOf(deferred.length - listed.length) }
}

const tokensOf = (lines: readonly { readonly lineTokens: number }[]): number =>
  lines.reduce((sum, { lineTokens }) => sum + lineTokens, 0)
