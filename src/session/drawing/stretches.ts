import type { Stretch } from '../markdown/inline.ts'
import { mostCells } from './cells.ts'
import { rowRanges } from './row-ranges.ts'

/** Stretches with four spaces for a tab. */
const withoutTabs = (stretches: readonly Stretch[]): readonly Stretch[] =>
  stretches.map((one) =>
    one.text.includes('\t') ? { ...one, text: one.text.replaceAll('\t', '    ') } : one,
  )

export const textOf = (stretches: readonly Stretch[]): string => stretches.map(({ text }) => text).join('')

/** The cells of the widest line. */
export const cellsOf = (stretches: readonly Stretch[]): number =>
  Math.max(0, ...textOf(stretches).split('\n').map(mostCells))

/** Stretches as rows, as `wrapText` breaks their text; no row has a blank at its end. */
export function wrapStretches(
  stretches: readonly Stretch[],
  first: number,
  later: number,
): readonly (readonly Stretch[])[] {
  const whole = withoutTabs(stretches)
  const slice = slicer(whole)
  const rows: (readonly Stretch[])[] = []
  let begin = 0
  for (const line of textOf(whole).split('\n')) {
    for (const [from, to] of rowRanges(line, rows.length === 0 ? first : later, later))
      rows.push(slice(begin + from, begin + from + line.slice(from, to).trimEnd().length))
    begin += line.length + 1
  }
  return rows
}

/** Gives parts of stretches, each of which begins behind the one before. */
function slicer(stretches: readonly Stretch[]): (from: number, to: number) => readonly Stretch[] {
  let index = 0
  /** Where the stretch at `index` begins. */
  let start = 0
  return (from, to) => {
    const found: Stretch[] = []
    for (;;) {
      const one = stretches[index]
      if (!one || start >= to) return found
      const end = start + one.text.length
      if (end > from) found.push({ ...one, text: one.text.slice(Math.max(0, from - start), to - start) })
      if (end > to) return found
      index += 1
      start = end
    }
  }
}
