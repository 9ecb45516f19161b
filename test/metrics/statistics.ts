/** The value that the given share of all values is not above: 0.5 gives the median, 0.9 the p90. 0 where there are none. */
export function quantile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b)
  return sorted[Math.floor(share * sorted.length)] ?? 0
}

/** The one with the highest value, the first of several; undefined where there are none. */
export function largest<T>(items: readonly T[], value: (item: T) => number): T | undefined {
  return items.reduce<T | undefined>(
    (best, one) => (best && value(best) >= value(one) ? best : one),
    undefined,
  )
}

/** The sum of a value of all items. */
export const sum = <T>(items: readonly T[], value: (item: T) => number): number =>
  items.reduce((total, one) => total + value(one), 0)
