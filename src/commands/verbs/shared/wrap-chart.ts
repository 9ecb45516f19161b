import { cleanLine } from '../../../lib/text/clean-text.ts'
import type { Span, Styled } from '../../../lib/text/styled.ts'
import type { BudgetReport, Prompt } from '../../../prompt/prompt.ts'
import { formsNote, keptText, percentOf, sharesOf, type BudgetShare } from '../../../prompt/shown/shares.ts'
import type { ShownPrompt, SourceGroup } from '../../../prompt/shown/tool-groups.ts'
import { shareTable, type ShareRow } from './share-table.ts'

/** What the bar is filled with, part by part: they differ without any colour, neighbours most. */
const FILLS = ['█', '▒', '▚', '░', '▓', '▞', '▙', '#', '▟', '=', '+', '-']
const FREE = '·'
const NARROWEST = 10
/** Of what stands before a row of the table: the fill of its part, and a blank. */
const MARK_CELLS = 2
const NO_MARK: Span = { text: '  ', isPicture: true }

type Line = readonly Span[]

/**
 * A prompt for people: the budget as one stacked bar of `columns` cells, and a line for each part of it. The tools are one
 * part, with a line for each group; unfolded, with a line for each tool.
 */
export function wrapChart(
  { model, prompt, groups }: ShownPrompt,
  columns: number,
  form: 'folded' | 'unfolded' = 'folded',
): Styled {
  const { budget } = prompt
  const shares = sharesOf(prompt)
  const cells = Math.max(NARROWEST, columns - 1)
  return {
    lines: [
      [{ text: heading(model, prompt) }],
      [{ text: sums(budget) }],
      bar(shares, budget, cells),
      ...legend(rowsOf(shares, groups, form), budget, cells),
      [
        { text: `${FREE} `, isPicture: true },
        { text: `free ${budget.target - budget.used}; ${kept(budget)}` },
      ],
      ...(prompt.tools.length === 0 ? [[{ text: 'no tools' }]] : []),
      ...prompt.warnings.map((warning) => [{ text: `! ${cleanLine(warning)}` }]),
    ],
  }
}

const heading = (model: string, { budget: { used, target }, encoding }: Prompt): string =>
  `@${model}: ${used} of ${target} tokens (${percentOf(used, target)}), ${encoding}`

/** The exact sum; the parts below are counted one by one, and texts that meet can differ from it by a few. */
const sums = ({ system, context, message, tools, framing, used }: BudgetReport): string =>
  `system ${system} + context ${context} + message ${message} + tools ${tools} + framing ${framing} = ${used}`

/** What the provider counts more is told in `/models`. */
function kept(budget: BudgetReport): string {
  const isDenser = budget.window - budget.reserved_output > budget.target
  return keptText(budget) + (isDenser ? ' (/models)' : '')
}

const fillOf = (index: number): string => FILLS[index % FILLS.length]!

/** Each part's cells, rounded so that the whole is as long as it should be. */
function bar(shares: readonly BudgetShare[], { target, used }: BudgetReport, cells: number): Line {
  const whole = shares.reduce((sum, { tokens }) => sum + tokens, 0)
  const scale = cells / Math.max(target, used, whole, 1)
  let drawn = 0
  let sum = 0
  const filled = shares.map(({ tokens }, index): Span => {
    sum += tokens
    const width = Math.round(sum * scale) - drawn
    drawn += width
    return { text: fillOf(index).repeat(width), tint: index }
  })
  return [...filled, { text: FREE.repeat(cells - drawn) }].map((span) => ({ ...span, isPicture: true }))
}

/** A row, and the number of the part whose fill stands before it; none before what belongs to the row above. */
type MarkedRow = ShareRow & { readonly fill?: number }

function rowsOf(
  shares: readonly BudgetShare[],
  groups: readonly SourceGroup[],
  form: 'folded' | 'unfolded',
): readonly MarkedRow[] {
  return shares.flatMap(({ name, tokens, note, layer, isTools }, fill): readonly MarkedRow[] => {
    const facts = layer ? { place: layer.placement, priority: layer.priority } : ({ isHint: true } as const)
    const row = { name, tokens, note, ...facts, fill }
    return isTools ? [row, ...groups.flatMap(form === 'folded' ? groupRow : toolRows)] : [row]
  })
}

const groupRow = ({ source, tools, tokens }: SourceGroup): readonly MarkedRow[] => [
  { name: `  ${source}`, tokens, note: formsNote(tools), isHint: true },
]

const toolRows = (group: SourceGroup): readonly MarkedRow[] => [
  ...groupRow(group),
  ...group.tools.map(({ name, tokens, form }) => ({
    name: `    ${name}`,
    tokens,
    note: form,
    isHint: true as const,
  })),
]

function legend(rows: readonly MarkedRow[], { target }: BudgetReport, cells: number): readonly Line[] {
  const table = shareTable(rows, target, cells - MARK_CELLS)
  const lines = table.rows.flatMap(([line, ...below], at): readonly Line[] => {
    const { fill } = rows[at] ?? {}
    const mark: Span =
      fill === undefined ? NO_MARK : { text: `${fillOf(fill)} `, tint: fill, isPicture: true }
    return [[mark, { text: line }], ...below.map((text) => [NO_MARK, { text }])]
  })
  return [[NO_MARK, { text: table.head }], ...lines]
}
