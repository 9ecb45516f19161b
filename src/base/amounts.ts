const UNITS = [
  ['d', 86_400],
  ['h', 3_600],
  ['m', 60],
] as const

export const HOUR_MS = 60 * 60 * 1_000
export const DAY_MS = 24 * HOUR_MS

/** Formats milliseconds with at most two units: `80ms`, `3.2s`, `2m 5s`, `1h 30m`, `2d`. */
export function duration(ms: number): string {
  if (ms < 1_000) return `${Math.max(0, Math.floor(ms))}ms`
  if (ms < 59_950) return `${(ms / 1_000).toFixed(1).replace(/\.0$/, '')}s`
  return wholeUnits(Math.round(ms / 1_000))
}

/** Formats milliseconds always with tenths of a second, so that the width is constant: `0.5s`, `2.0s`. */
export const runningTime = (ms: number): string =>
  ms < 59_950 ? `${(Math.max(0, ms) / 1_000).toFixed(1)}s` : duration(ms)

function wholeUnits(seconds: number): string {
  const [unit, size] = UNITS.find(([, size]) => seconds >= size) ?? (['m', 60] as const)
  const rest = seconds % size
  const [small, smallSize] = UNITS.find(([, other]) => other < size) ?? (['s', 1] as const)
  const smalls = Math.floor(rest / smallSize)
  return `${Math.floor(seconds / size)}${unit}${smalls > 0 ? ` ${smalls}${small}` : ''}`
}

const WORD_UNITS: Readonly<Record<string, number>> = { s: 1_000, m: 60_000, h: 3_600_000, d: DAY_MS }

const MAX_WRITTEN_DAYS = 3_650

/** Parses `30s`, `10m`, `2h` or `7d` to ms, at most ten years; undefined for 0 and anything else. */
export function parseDuration(word: string): number | undefined {
  const [, count = '', unit = ''] = /^(\d{1,9})([smhd])$/.exec(word) ?? []
  const ms = Number(count) * (WORD_UNITS[unit] ?? 0)
  return ms > 0 && ms <= MAX_WRITTEN_DAYS * DAY_MS ? ms : undefined
}

const SIZE_UNITS = ['KiB', 'MiB', 'GiB', 'TiB']

/** Formats `999 B`, `1.2 KiB`, `15 MiB`. */
export function bytes(count: number): string {
  if (count < 1024) return `${count} B`
  let size = count / 1024
  let unit = 0
  while (size >= 1023.5 && unit < SIZE_UNITS.length - 1) [size, unit] = [size / 1024, unit + 1]
  return `${size < 9.95 ? size.toFixed(1).replace(/\.0$/, '') : Math.round(size)} ${SIZE_UNITS[unit]}`
}

export const utf8Bytes = (text: string): number =>
  /^[\0-\u007f]*$/.test(text) ? text.length : new TextEncoder().encode(text).length

/** Formats `1 turn` or `2 turns`. */
export const counted = (count: number, what: string): string => `${count} ${what}${count === 1 ? '' : 's'}`

export const countedAre = (count: number, what: string): string =>
  `${counted(count, what)} ${count === 1 ? 'is' : 'are'}`
