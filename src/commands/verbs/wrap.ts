import { safeJson } from '../../base/json.ts'
import { cleanLine, cleanText } from '../../base/text/clean-text.ts'
import { plainRows } from '../../base/text/pages.ts'
import type { Span, StyledText } from '../../base/text/styled.ts'
import { nameInLabel } from '../../words/names.ts'
import { BREAK, userContent, withoutAskersMemory, type BudgetReport, type Prompt } from '../../wrap/index.ts'
import {
  countsOf,
  keptText,
  percentOf,
  sharesOf,
  toolGroups,
  type BudgetShare,
  type ShownPrompt,
  type SourceGroup,
} from '../pages/prompt-report.ts'
import { arg, JSON_FLAG, text } from '../command.ts'
import { refuseWrap, verb } from './common.ts'
import { modelNamed } from './answer.ts'
import { HTML_FLAG, refuseInSession } from './log-pages.ts'
import { wrapPage } from '../pages/prompt.ts'

export const wrap = verb({
  name: 'wrap',
  summary:
    'show the prompt that a model would read now, layer by layer; full prints the whole text and each tool',
  room: 'here',
  flags: [JSON_FLAG, HTML_FLAG],
  arguments: [
    arg('model', 'the model; if absent, the model that the room asked last', { optional: true }),
    text(
      'question',
      'the question that the model would be asked, with its pictures; full before it prints the whole text',
      { optional: true },
    ),
  ],
  example: '@guide full',
  complete: { question: () => ['full'] },
  needsVoice: () => false,
  async run({ person, room, args, flags, out, session }, { turns, clock, stores }) {
    const last = (await stores.models.turns.last(room.name))?.model
    const names = await turns.personas.namesIn(room.name)
    const { model, full, question } = readArguments(args, names, last && nameInLabel(last))
    if (flags.html) refuseInSession({ session }, 'wrap', `@${model}`)
    const asked = question === '' ? {} : { text: `@${model} ${question}` }
    const prompt = await turns.prompt({ room, person, model, ...asked }).catch(refuseWrap)
    if (flags.json) return out.line(safeJson(promptJson(room.name, model, prompt)))
    const { tools } = await turns.scope({ room, person, model })
    const sources = new Map(tools.map(({ tool }) => [tool.id, tool.source]))
    const shown = { model, prompt, groups: toolGroups(prompt.tools, sources) }
    if (flags.html) {
      const page = await wrapPage(
        { ...shown, prompt: withoutAskersMemory(prompt) },
        { room: room.name, person: person.name, at: clock.now() },
      )
      return out.write(String(page))
    }
    if (full) out.line(textOf(prompt))
    out.line(wrapChart(shown, out.columns, full ? 'unfolded' : 'folded'))
  },
})

/** `/wrap`, `/wrap full`, `/wrap @qwen`, `/wrap @qwen full`, `/wrap @qwen why does it fail?`. */
function readArguments(
  { model, question = '' }: { readonly model: string | undefined; readonly question: string | undefined },
  names: readonly string[],
  last: string | undefined,
) {
  const isFullFirst = model === 'full' && !names.includes('full')
  // A model's prompt is more informative than that of the guide, which always exists.
  const usual = names.find((name) => name === last) ?? names.find((name) => name !== 'guide') ?? 'guide'
  const [, full, rest = ''] = /^(full(?:\s+|$))?(.*)$/s.exec(question) ?? []
  return {
    model: isFullFirst || model === undefined ? usual : modelNamed(model, names),
    full: isFullFirst || full !== undefined,
    question: rest.trim(),
  }
}

const textOf = (prompt: Prompt): string =>
  cleanText([prompt.system, userContent(prompt)].filter((text) => text !== '').join(BREAK))

/** Returns the shape of `wrap --json`. `message`, `framing` and `warnings` are additions to the contract. */
function promptJson(room: string, model: string, prompt: Prompt) {
  const { encoding, budget, layers, system, context, warnings } = prompt
  const tools = prompt.tools.map(({ name, id, tokens, form }) => ({ name, id, tokens, form }))
  return { room, model, encoding, budget, layers, tools, system_prompt: system, context, warnings }
}

/** Characters that fill the bar, one for each part. They differ without colour, neighbours most of all. */
const FILLS = ['█', '▒', '▚', '░', '▓', '▞', '▙', '#', '▟', '=', '+', '-']
const FREE = '·'
const NARROWEST = 10
/** Cells before a row of the table: the fill of its part, and a space. */
const MARK_CELLS = 2
const NO_MARK: Span = { text: '  ', isPicture: true }

type Line = readonly Span[]

/**
 * Draws a prompt for people: the budget as one stacked bar, and a line for each part. The tools are one part,
 * with a line for each group; unfolded, also with a line for each tool.
 */
export function wrapChart(
  { model, prompt, groups }: ShownPrompt,
  columns: number,
  form: 'folded' | 'unfolded' = 'folded',
): StyledText {
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
        { text: `free ${budget.target - budget.used}; ${reservedText(budget)}` },
      ],
      ...(prompt.tools.length === 0 ? [[{ text: 'no tools' }]] : []),
      ...prompt.warnings.map((warning) => [{ text: `! ${cleanLine(warning)}` }]),
    ],
  }
}

const heading = (model: string, { budget: { used, target }, encoding }: Prompt): string =>
  `@${model}: ${used} of ${target} tokens (${percentOf(used, target)}), ${encoding}`

/** Returns the exact sum. The parts below are counted separately, and can differ from it by a few tokens. */
const sums = ({ system, context, message, tools, framing, pictures, used }: BudgetReport): string =>
  `system message ${system} + context ${context} + message ${message} + definitions ${tools} + framing ${framing}${pictures ? ` + pictures ${pictures}` : ''} = ${used}`

/** `/models` shows how much more the provider counts. */
function reservedText(budget: BudgetReport): string {
  const isDenser = budget.window - budget.reserved_output > budget.target
  return keptText(budget) + (isDenser ? ' (/models)' : '')
}

const fillOf = (index: number): string => FILLS[index % FILLS.length]!

/** Draws the bar. Rounds the cells of its parts so that the whole has the right length. */
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

function rowsOf(
  shares: readonly BudgetShare[],
  groups: readonly SourceGroup[],
  form: 'folded' | 'unfolded',
): readonly ShareRow[] {
  return shares.flatMap(({ name, tokens, note, layer, isTools }, fill): readonly ShareRow[] => {
    const facts = layer
      ? { place: layer.late ? 'late' : layer.placement, priority: layer.priority }
      : name === 'pictures'
        ? {}
        : ({ isHint: true } as const)
    const row = { name, tokens, note, ...facts, fill }
    return isTools ? [row, ...groups.flatMap((group) => groupRows(group, form))] : [row]
  })
}

function groupRows({ source, tools, tokens }: SourceGroup, form: 'folded' | 'unfolded'): readonly ShareRow[] {
  const note = countsOf(tools.map((tool) => tool.form))
  const rows = form === 'folded' ? [] : tools
  return [
    { name: `  ${source}`, tokens, note, isHint: true },
    ...rows.map((tool) => ({
      name: `    ${tool.name}`,
      tokens: tool.tokens,
      note: tool.form,
      isHint: true as const,
    })),
  ]
}

function legend(rows: readonly ShareRow[], { target }: BudgetReport, cells: number): readonly Line[] {
  const table = shareTable(rows, target, cells - MARK_CELLS)
  const lines = table.rows.flatMap(([line = '', ...below], at): readonly Line[] => {
    const { fill } = rows[at] ?? {}
    const mark: Span =
      fill === undefined ? NO_MARK : { text: `${fillOf(fill)} `, tint: fill, isPicture: true }
    return [[mark, { text: line }], ...below.map((text) => [NO_MARK, { text }])]
  })
  return [[NO_MARK, { text: table.head }], ...lines]
}

/** A row of the table: a part, its tokens, and a note about it. */
interface ShareRow {
  readonly name: string
  readonly tokens: number
  readonly place?: string
  readonly priority?: number
  readonly note: string
  /** The number of the part whose fill precedes the row; absent for a row that belongs to the row above. */
  readonly fill?: number
  /** True for a note that `…` replaces if there is no space for all such notes. */
  readonly isHint?: true
}

export const GAP = '  '
export const INDENT = '    '
/** A longer note goes below its line instead of removing a column. */
const USUAL_NOTE = 24

const NOTE = 'note'
const MORE = '…'

const KEPT_COLUMNS = 3

/**
 * Returns table rows: name, tokens, percentage of the target, and as many further columns as fit `width`. A
 * narrow terminal loses the last columns first.
 */
function shareTable(rows: readonly ShareRow[], target: number, width: number) {
  const column = (head: string, of: (row: ShareRow) => string, pad: Pad = 'padStart'): readonly string[] =>
    padColumn([head, ...rows.map(of)], pad)
  let columns = [
    column('part', ({ name }) => name, 'padEnd'),
    column('tokens', ({ tokens }) => String(tokens)),
    column('share', ({ tokens }) => percentOf(tokens, target)),
    column('place', ({ place = '' }) => place, 'padEnd'),
    column('priority', ({ priority = '' }) => String(priority)),
  ].filter(([, ...cells]) => cells.some((cell) => cell.trim() !== ''))
  const spaceLeft = (): number =>
    columns.reduce((space, [head = '']) => space - head.length - GAP.length, width)
  const wanted = Math.min(USUAL_NOTE, Math.max(0, ...rows.map(({ note }) => note.length)))
  while (columns.length > KEPT_COLUMNS && spaceLeft() < wanted) columns = columns.slice(0, -1)
  const space = spaceLeft()
  const hintsFit = rows.every(({ isHint, note }) => !isHint || note.length <= space)
  const line = (at: number, note: string): string =>
    [...columns.map((cells) => cells[at]), note].join(GAP).trimEnd()
  return {
    head: line(0, space >= USUAL_NOTE ? 'state' : NOTE.length <= space ? NOTE : ''),
    rows: rows.map(({ isHint, note }, at) => {
      if (isHint ? hintsFit : note.length <= space) return [line(at + 1, note)]
      if (isHint) return [line(at + 1, note !== '' && space > 0 ? MORE : '')]
      return [line(at + 1, ''), ...plainRows(INDENT + note, width, INDENT)]
    }),
  }
}

type Pad = 'padStart' | 'padEnd'

/** Pads the cells of a column to the length of the longest cell. */
export function padColumn(cells: readonly string[], pad: Pad): readonly string[] {
  const width = Math.max(...cells.map(({ length }) => length))
  return cells.map((cell) => cell[pad](width))
}
