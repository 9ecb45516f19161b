import type { Zone } from '../../base/zone.ts'
import type { DrawingStyle, TimeColumn } from './theme.ts'

const LENGTHS = { minutes: '17:24 '.length, full: '2026-11-22 17:24:05 '.length }

/** A row must be at least this many times as wide as its time. */
const MIN_WIDTH_RATIO = 5

/** Returns the column that the person asked for, or a narrower one; undefined if neither has room. */
export function timeColumn(asked: 'minutes' | 'full', zone: Zone, columns: number): TimeColumn | undefined {
  const fits = (kind: typeof asked): boolean => LENGTHS[kind] * MIN_WIDTH_RATIO <= columns
  const kind = asked === 'full' && fits('full') ? 'full' : fits('minutes') ? 'minutes' : undefined
  if (kind === undefined) return undefined
  return {
    key: `${kind} ${zone.name}`,
    cells: LENGTHS[kind],
    textAt(at: number): string {
      const text = new Date(zone.local(at)).toISOString()
      return kind === 'full' ? `${text.slice(0, 10)} ${text.slice(11, 19)} ` : `${text.slice(11, 16)} `
    },
  }
}

const DAY_MS = 86_400_000

export const dayOf = (at: number, zone: Zone): number => Math.floor(zone.local(at) / DAY_MS)

const DAY = new Intl.DateTimeFormat('en', {
  weekday: 'long',
  day: 'numeric',
  month: 'long',
  year: 'numeric',
  timeZone: 'UTC',
})

/** `-- Sunday 22 November 2026 (UTC)` */
export function dayLine(day: number, zone: Zone): string {
  const parts = DAY.formatToParts(day * DAY_MS)
  // The order and the commas of a date differ between versions of ICU.
  const words = (['weekday', 'day', 'month', 'year'] as const).map(
    (wanted) => parts.find(({ type }) => type === wanted)?.value,
  )
  return `-- ${words.join(' ')} (${zone.name})`
}

/** In a narrower window only the first row is beside its time. Later rows use the whole width. */
const NARROW_COLUMNS = 60

export const isNarrow = ({ columns }: Pick<DrawingStyle, 'columns'>): boolean => columns < NARROW_COLUMNS

/** Returns the style of rows beside a time. */
export function besideTimes({ times, ...style }: DrawingStyle): DrawingStyle {
  if (!times) return style
  if (isNarrow(style)) return { ...style, timeCells: times.cells }
  return { ...style, columns: style.columns - times.cells }
}

export const columnsBeside = ({ times, columns }: DrawingStyle): number => columns - (times?.cells ?? 0)

/** Puts the time `at`, if given, before the first row, and indents the other rows. */
export function withTimes(
  rows: readonly string[],
  { times, theme, columns }: DrawingStyle,
  at?: number,
): readonly string[] {
  if (!times) return rows
  const margin = isNarrow({ columns }) ? '' : ' '.repeat(times.cells)
  return rows.map((row, index) => {
    if (index === 0 && at !== undefined) return theme.dim(times.textAt(at)) + row
    return row === '' ? '' : margin + row
  })
}
