/**
 * Rungs: how much of each tool a prompt sends. climb.ts has the order in which tools come up, rungs.ts goes up as far as the
 * tokens reach, tool-text.ts lists the names of those that stay below, and select-tools.ts is what a layer asks.
 * This folder must not know what else is in a prompt, nor how a tool is called.
 */
import type { OfferedTool } from '../each-once.ts'
import type { Pricer } from '../price-list.ts'
import type { ToolForm } from '../prompt.ts'
import { deferredNames, namesAllowance, type ToolWords } from './tool-text.ts'
import { createClimb, type Climb, type Rise, type ToolUse } from './climb.ts'

/** What each tool's rung is chosen with. */
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
 * Chooses a rung for each tool. All climb one ladder of rises, in an order that does not depend on the allowance
 * (climb.ts), as far as the allowance reaches: so a larger one never gives any tool a lower rung. Only the tools
 * up to there are counted, so 500 long ones cost no more than what fits.
 */
export function chooseRungs(offered: readonly OfferedTool[], terms: RungTerms): ChosenRungs {
  const climb = createClimb(offered, terms)
  const costs = createCosts(offered, climb, terms)
  const forms = new Map<OfferedTool, ToolForm>(offered.map((one) => [one, 'deferred']))
  for (const { tool, form } of climb.rises.slice(0, risesTaken(climb, costs))) forms.set(tool, form)
  const text = textOf(forms, climb, terms)
  return {
    forms,
    text,
    cheapest: costs.most(0) > terms.allowance,
    findable: Math.max(0, terms.allowance - costs.most(climb.afterCalled)),
  }
}

/** The first rises that fit together. Without a deferred tool there is no `find_tools`, which may make all of them cheaper. */
function risesTaken({ rises, afterAll }: Climb, { fits }: Costs): number {
  let taken = afterAll !== undefined && fits(afterAll) ? afterAll : 0
  while (taken < rises.length && fits(taken + 1)) taken += 1
  return taken
}

/** What the first rises of a climb cost, headings, lines and names included. */
interface Costs {
  fits(rises: number): boolean
  /** The most that so many rises may come to. */
  most(rises: number): number
}

function createCosts(offered: readonly OfferedTool[], { rises, afterAll }: Climb, terms: RungTerms): Costs {
  const { allowance, searchTokens, words, price, count } = terms
  const heading = count(words.loaded)
  const nameTokens = ({ tool }: OfferedTool): number => price.of(tool, 'deferred').lineTokens
  const allNames = offered.reduce((sum, one) => sum + nameTokens(one), 0)
  /** At each index, what so many rises add to an empty list, and the names of the tools that they leave deferred. */
  const sums = [{ loaded: 0, names: allNames }]
  const sumAfter = (number: number): { loaded: number; names: number } => {
    for (const rise of rises.slice(sums.length - 1, number)) {
      const { loaded, names } = sums.at(-1) ?? { loaded: 0, names: 0 }
      // What comes after is not even counted.
      if (loaded > allowance) break
      const listed = rise.from === 'deferred' ? nameTokens(rise.tool) : 0
      sums.push({ loaded: loaded + costOf(rise, price), names: names - listed })
    }
    return sums[number] ?? { loaded: Infinity, names: 0 }
  }
  const most = (number: number): number => {
    const { loaded, names } = sumAfter(number)
    if (afterAll !== undefined && number >= afterAll) return heading + loaded
    const listed = Math.min(names, namesAllowance(allowance))
    return heading + loaded + searchTokens + count(words.deferred) + listed
  }
  return { most, fits: (number) => most(number) <= allowance }
}

function costOf({ tool: { tool }, from, form }: Rise, price: Pricer): number {
  const cost = (one: ToolForm): number => price.of(tool, one).sent.tokens + price.of(tool, one).lineTokens
  return from === 'deferred' ? cost(form) : cost(form) - cost(from)
}

/** Lines in the order of the catalogue: so they stay where they are while other tools change their rungs. */
function textOf(
  forms: ReadonlyMap<OfferedTool, ToolForm>,
  { inOrder }: Climb,
  { words, price, allowance, count }: RungTerms,
): string {
  const lines = [...forms].flatMap(([{ tool }, form]) =>
    form === 'deferred' ? [] : price.of(tool, form).line,
  )
  const deferred = inOrder.filter((one) => forms.get(one) === 'deferred')
  if (deferred.length === 0) return words.loaded + lines.join('')
  const names = deferred.map(({ tool }) => ({ tool, ...price.of(tool, 'deferred') }))
  const kept = deferredNames(names, namesAllowance(allowance), words, count)
  const inText = [...forms.keys()].flatMap(({ tool }) => kept.lines.get(tool) ?? [])
  return [words.loaded, ...lines, words.deferred, ...inText, kept.more].join('')
}
