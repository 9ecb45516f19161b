import type { Usage } from '../../chat/entry.ts'
import { costOf, type Price } from '../../lib/price.ts'

/** What requests used. */
export interface Spent {
  readonly usage: Usage
  /** In 10^-12 of a currency unit; absent where no model of them has a price. */
  readonly cost?: bigint
}

/** What one request used, at these prices. */
export const spentFor = (usage: Usage, price: Price | undefined): Spent => ({
  usage,
  ...(price ? { cost: costOf(usage, price) } : {}),
})

/** The sum of both. */
export function addSpent(sum: Spent | undefined, more: Spent): Spent {
  const cost = addCosts(sum?.cost, more.cost)
  return { usage: addUsage(sum?.usage, more.usage), ...(cost === undefined ? {} : { cost }) }
}

/** The sum of two costs; absent only where neither is known. */
export const addCosts = (a: bigint | undefined, b: bigint | undefined): bigint | undefined =>
  a === undefined || b === undefined ? (a ?? b) : a + b

/** The sum of two usages; `cached` and `estimated` are told if either tells them. */
export function addUsage(sum: Usage | undefined, usage: Usage): Usage {
  const cached = addIfTold(sum?.cached, usage.cached)
  const estimated = addEstimates(sum?.estimated, usage.estimated)
  return {
    input: (sum?.input ?? 0) + usage.input,
    output: (sum?.output ?? 0) + usage.output,
    ...(cached === undefined ? {} : { cached }),
    ...(estimated ? { estimated } : {}),
  }
}

/** The sum of what was estimated; absent only where neither was. */
export const addEstimates = (a: Usage['estimated'], b: Usage['estimated']): Usage['estimated'] =>
  a && b ? { input: a.input + b.input, output: a.output + b.output } : (a ?? b)

const addIfTold = (a: number | undefined, b: number | undefined): number | undefined =>
  a === undefined && b === undefined ? undefined : (a ?? 0) + (b ?? 0)
