import { cleanLine } from '../../lib/text/clean-text.ts'
import { plainRows } from '../../lib/text/plain-rows.ts'
import type { Span, Styled } from '../../lib/text/styled.ts'
import type { BudgetReport, Prompt } from '../../prompt/prompt.ts'
import {
  countsOf,
  keptText,
  percentOf,
  sharesOf,
  type BudgetShare,
  type ShownPrompt,
  type SourceGroup,
} from '../../pages/prompt-report.ts'

/** What the bar is filled with, part by part: they differ without any colour, neighbours most. */
const FILLS = ['█', '▒', '▚', '░', '▓', '▞', '▙', '#', '▟', '=', '+', '-']
const FREE = '·'
const NARROWEST = 10
/** Of what stands before a row of the table: the fill of its part, and a blank. */
const MARK_CELLS = 2
const NO_MARK: Span = { text: '  ', isPicture: true }

type Line = readonly Span[]

/**
 * A prompt for people: the budget as one stacked bar of `columns` cells, and a line for each part of it.
 * The tools are one part, with a line for each group; unfolded, with a line for each tool.
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

/**
 * A row, and the number of the part whose fill stands before it; none before what belongs to the row above.
 */
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
  { name: `  ${source}`, tokens, note: countsOf(tools.map(({ form }) => form)), isHint: true },
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
  const lines = table.rows.flatMap(([line = '', ...below], at): readonly Line[] => {
    const { fill } = rows[at] ?? {}
    const mark: Span =
      fill === undefined ? NO_MARK : { text: `${fillOf(fill)} `, tint: fill, isPicture: true }
    return [[mark, { text: line }], ...below.map((text) => [NO_MARK, { text }])]
  })
  return [[NO_MARK, { text: table.head }], ...lines]
}

/** A line of the table: who has so many tokens, and what there is to say of it. */
interface ShareRow {
  readonly name: string
  readonly tokens: number
  readonly place?: string
  readonly priority?: number
  readonly note: string
  /** True for a note in whose place `…` stands where there is no space for all such notes. */
  readonly isHint?: true
}

const GAP = '  '
const INDENT = '    '
/** A longer note stands below its line rather than take a column away. */
const USUAL_NOTE = 24

/** Of the notes; the first that there is space for. */
const NOTE_HEADS = ['what became of it', 'note'] as const
const MORE = '…'

interface Column {
  readonly head: string
  readonly isText?: true
  of(row: ShareRow): string
}

/** In the order in which they stand; a narrow terminal loses the last ones first. */
const columnsFor = (target: number): readonly Column[] => [
  { head: 'part', isText: true, of: ({ name }) => name },
  { head: 'tokens', of: ({ tokens }) => String(tokens) },
  { head: 'share', of: ({ tokens }) => percentOf(tokens, target) },
  { head: 'place', isText: true, of: ({ place = '' }) => place },
  { head: 'priority', of: ({ priority }) => (priority === undefined ? '' : String(priority)) },
]
const KEPT_COLUMNS = 3

/**
 * Rows below each other: name, tokens, share of the target, and as much of the rest as `width` has cells
 * for.
 */
function shareTable(rows: readonly ShareRow[], target: number, width: number) {
  const all = columnsFor(target).map((column) => ({ ...column, cells: cellsOf(column, rows) }))
  const used = all.filter((column) => rows.some((row) => column.of(row) !== ''))
  const wanted = Math.min(USUAL_NOTE, Math.max(0, ...rows.map(({ note }) => note.length)))
  let columns = used
  while (columns.length > KEPT_COLUMNS && widthOf(columns) + GAP.length + wanted > width)
    columns = columns.slice(0, -1)
  const space = width - widthOf(columns) - GAP.length
  const hintsFit = rows.every(({ isHint, note }) => !isHint || note.length <= space)
  const line = (texts: readonly string[], note: string): string =>
    [...columns.map(({ isText, cells }, at) => pad(texts[at] ?? '', cells, isText)), note].join(GAP).trimEnd()
  return {
    head: line(
      columns.map(({ head }) => head),
      NOTE_HEADS.find((head) => head.length <= space) ?? '',
    ),
    rows: rows.map((row) => {
      const texts = columns.map((column) => column.of(row))
      if (row.isHint ? hintsFit : row.note.length <= space) return [line(texts, row.note)]
      if (row.isHint) return [line(texts, row.note !== '' && space > 0 ? MORE : '')]
      return [line(texts, ''), ...plainRows(INDENT + row.note, width, INDENT)]
    }),
  }
}

const cellsOf = ({ head, of }: Column, rows: readonly ShareRow[]): number =>
  Math.max(head.length, ...rows.map((row) => of(row).length))

const widthOf = (columns: readonly { readonly cells: number }[]): number =>
  columns.reduce((sum, { cells }) => sum + cells, 0) + GAP.length * (columns.length - 1)

const pad = (text: string, cells: number, isText: true | undefined): string =>
  isText ? text.padEnd(cells) : text.padStart(cells)
