import { costOf } from '../../lib/price.ts'
import type { UsageRow } from './ports.ts'
import { addCosts, addEstimates } from './spent.ts'

/** What one model, person, room or day used, at whatever prices. */
export interface UsageSum extends Omit<UsageRow, 'price'> {
  /** In 10^-12 of a currency unit; absent where nothing of it had a price. */
  readonly cost?: bigint
  /** Tokens, read and written together, that had no price. */
  readonly unpriced: number
}

const NOTHING = { turns: 0, requests: 0, input: 0, cached: 0, output: 0, unpriced: 0 } as const

/** Adds up the rows of each key, those with the most tokens first. */
export function sumsByKey(rows: readonly UsageRow[]): readonly UsageSum[] {
  const sums = new Map<string, UsageSum>()
  for (const row of rows)
    sums.set(row.key, add(sums.get(row.key) ?? { ...NOTHING, key: row.key }, priced(row)))
  return [...sums.values()].toSorted((a, b) => tokensOf(b) - tokensOf(a) || (a.key < b.key ? -1 : 1))
}

/** The sum of all of them. */
export const total = (sums: readonly UsageSum[]): UsageSum => sums.reduce(add, { ...NOTHING, key: '' })

function priced({ price, ...row }: UsageRow): UsageSum {
  return price ? { ...row, cost: costOf(row, price), unpriced: 0 } : { ...row, unpriced: tokensOf(row) }
}

function add(sum: UsageSum, more: UsageSum): UsageSum {
  const cost = addCosts(sum.cost, more.cost)
  const estimated = addEstimates(sum.estimated, more.estimated)
  return {
    key: sum.key,
    turns: sum.turns + more.turns,
    requests: sum.requests + more.requests,
    input: sum.input + more.input,
    cached: sum.cached + more.cached,
    output: sum.output + more.output,
    unpriced: sum.unpriced + more.unpriced,
    ...(estimated ? { estimated } : {}),
    ...(cost === undefined ? {} : { cost }),
  }
}

const tokensOf = ({ input, output }: Pick<UsageRow, 'input' | 'output'>): number => input + output
