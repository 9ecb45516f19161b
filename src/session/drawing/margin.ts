import type { DrawingStyle } from './theme.ts'

/** The style of what stands beside the times. */
export const besideTimes = ({ times, ...style }: DrawingStyle): DrawingStyle =>
  times ? { ...style, columns: style.columns - times.cells } : style

/** The cells of a row beside the times. */
export const columnsBeside = ({ times, columns }: DrawingStyle): number => columns - (times?.cells ?? 0)

/** Rows with the column of times before them; the first has the time `at`, where it is given. */
export function withTimes(
  rows: readonly string[],
  { times, theme }: DrawingStyle,
  at?: number,
): readonly string[] {
  if (!times) return rows
  const margin = ' '.repeat(times.cells)
  return rows.map((row, index) => {
    if (index === 0 && at !== undefined) return theme.dim(times.textAt(at)) + row
    return row === '' ? '' : margin + row
  })
}
