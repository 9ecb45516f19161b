const UNITS = [
  ['d', 86_400],
  ['h', 3_600],
  ['m', 60],
] as const

/** A day in milliseconds. */
export const DAY_MS = 24 * 60 * 60 * 1_000

/** Milliseconds as people say them: `80ms`, `3.2s`, `2m 5s`, `1h 30m`, `2d`: at most two units. */
export function duration(ms: number): string {
  if (ms < 1_000) return `${Math.max(0, Math.floor(ms))}ms`
  if (ms < 59_950) return `${(ms / 1_000).toFixed(1).replace(/\.0$/, '')}s`
  return wholeUnits(Math.round(ms / 1_000))
}

function wholeUnits(seconds: number): string {
  const [unit, size] = UNITS.find(([, size]) => seconds >= size) ?? (['m', 60] as const)
  const rest = seconds % size
  const [small, smallSize] = UNITS.find(([, other]) => other < size) ?? (['s', 1] as const)
  const smalls = Math.floor(rest / smallSize)
  return `${Math.floor(seconds / size)}${unit}${smalls > 0 ? ` ${smalls}${small}` : ''}`
}
