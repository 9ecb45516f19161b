import type { Charge, UsageRow } from '../../../turns/bill/ports.ts'

type Prices = Record<'input_price' | 'cached_price' | 'output_price', number | null>

type Estimates = Record<'input_estimated' | 'output_estimated', number>

/** A row of `charges`. */
export type ChargeRow = Omit<Charge, 'opensTurn' | 'usage' | 'price' | 'payers'> &
  Prices &
  Estimates & {
    readonly turns: 0 | 1
    readonly input: number
    readonly cached: number
    readonly output: number
  }

/** A sum of rows with the same prices. */
export type SumRow = Omit<UsageRow, 'price' | 'estimated'> & Prices & Estimates

export function toRow({ opensTurn, usage, price, ...charge }: Omit<Charge, 'payers'>): ChargeRow {
  const { input, cached = 0, output, estimated } = usage
  return {
    ...charge,
    turns: opensTurn ? 1 : 0,
    input,
    cached,
    output,
    input_estimated: estimated?.input ?? 0,
    output_estimated: estimated?.output ?? 0,
    input_price: price?.input ?? null,
    cached_price: price?.cached ?? null,
    output_price: price?.output ?? null,
  }
}

export function toUsage({
  input_price: input,
  cached_price: cached,
  output_price: output,
  input_estimated: read,
  output_estimated: written,
  ...rest
}: SumRow): UsageRow {
  const sum = read + written > 0 ? { ...rest, estimated: { input: read, output: written } } : rest
  if (input === null || cached === null || output === null) return sum
  return { ...sum, price: { input, cached, output } }
}
