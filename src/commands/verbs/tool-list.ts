// What tools cost in a prompt, and the lines that show it: the same numbers as in `/wrap`.
import type { Person } from '../../chat/people/person.ts'
import type { Room } from '../../chat/room.ts'
import { counted } from '../../lib/plural.ts'
import { zip } from '../../lib/zip.ts'
import { WrapError } from '../../prompt/ports.ts'
import type { Prompt } from '../../prompt/prompt.ts'
import type { ListedTool, ToolList } from '../../toolbox/tool-list.ts'
import { brokenInto } from './wrap-chart.ts'
import type { Services } from './services.ts'

/** For a visible tool that the room's script, or the budget, leaves out. */
const NOT_SENT = 'not sent, /wrap tells why'

/** The prompt of the first model, and its name; no prompt if none can be made, and `/wrap` tells why. */
interface PromptNow {
  readonly model?: string
  readonly prompt?: Prompt
}

export async function promptNow(
  query: { readonly room: Room; readonly person: Person },
  turns: Services['turns'],
): Promise<PromptNow> {
  const [model] = turns.names()
  if (model === undefined) return {}
  try {
    return { model, prompt: await turns.prompt({ ...query, model }) }
  } catch (error) {
    if (error instanceof WrapError) return { model }
    throw error
  }
}

export interface Prices {
  readonly model?: string
  /** Tokens of all definitions that are sent. */
  readonly tokens: number
  /** Tokens of a tool as it is sent, or in full if it is not sent. */
  of(tool: ListedTool): number
  /** Tokens of a tool as it is sent, or 0. */
  sent(tool: ListedTool): number
  /** How a visible tool is sent; empty if that is not known. */
  noteOf(tool: ListedTool): string
  readonly formOf: (tool: ListedTool) => string | undefined
  /** Sent besides the tools of the list. */
  readonly others: readonly { readonly name: string; readonly tokens: number }[]
}

export function pricesIn(list: ToolList, { model, prompt }: PromptNow): Prices {
  const sent = new Map(prompt?.tools.map((tool) => [tool.id, tool]))
  const sentAs = ({ tool, visible }: ListedTool) => (visible ? sent.get(tool.id) : undefined)
  const listed = new Set(list.tools.map(({ tool }) => tool.id))
  return {
    ...(model === undefined ? {} : { model }),
    tokens: prompt ? prompt.budget.tools : list.tokens,
    of: (one) => sentAs(one)?.tokens ?? one.tokens,
    sent: (one) => (prompt ? (sentAs(one)?.tokens ?? 0) : one.visible ? one.tokens : 0),
    formOf: (one) => sentAs(one)?.form,
    noteOf: (one) => sentAs(one)?.form ?? (prompt ? NOT_SENT : ''),
    others: prompt?.tools.filter(({ id }) => !listed.has(id)) ?? [],
  }
}

/**
 * Lines of at most `width` cells: the tools by their source (`builtin`, `internal`, a server …), with how
 * many there are, what their definitions take of the prompt, and what became of them; unfolded, the tools
 * of each source below it.
 */
export function toolLines(
  tools: readonly ListedTool[],
  prices: Prices,
  form: 'folded' | 'unfolded',
  width: number,
): readonly string[] {
  const groups = bySource(tools)
  const heads = noteTable(
    groups.map((group) => groupRow(group, prices)),
    width,
  )
  if (form === 'folded') return heads.flat()
  const lines = noteTable(
    groups.flatMap((group) => group.map((one) => toolRow(one, prices))),
    width,
  )
  let taken = 0
  return zip(heads, groups).flatMap(([head, group]) => {
    const own = lines.slice(taken, (taken += group.length))
    return [...head, ...own.flat()]
  })
}

type Group = readonly [ListedTool, ...ListedTool[]]

/** In the order of the first tool of each. */
function bySource(tools: readonly ListedTool[]): readonly Group[] {
  const groups = new Map<string, [ListedTool, ...ListedTool[]]>()
  for (const one of tools) {
    const group = groups.get(one.tool.source)
    if (group) group.push(one)
    else groups.set(one.tool.source, [one])
  }
  return [...groups.values()]
}

const groupRow = (group: Group, prices: Prices): NoteRow => ({
  cells: [
    group[0].tool.source,
    counted(group.length, 'tool'),
    counted(
      group.reduce((sum, one) => sum + prices.sent(one), 0),
      'token',
    ),
  ],
  note: states(group, prices),
})

/** `3 short, 31 deferred, 2 hidden`; why they are hidden where that is the same for all. */
function states(group: Group, prices: Prices): string {
  const counts = new Map<string, number>()
  for (const one of group) {
    const state = stateOf(one, prices)
    if (state !== '') counts.set(state, (counts.get(state) ?? 0) + 1)
  }
  const reasons = new Set(group.filter(({ visible }) => !visible).map(({ reason }) => reason))
  const why = reasons.size === 1 ? ` (${[...reasons].join('')})` : ''
  return STATES.flatMap((state) => {
    const count = counts.get(state)
    return count === undefined ? [] : [`${count} ${state}${state === HIDDEN ? why : ''}`]
  }).join(', ')
}

const HIDDEN = 'hidden'
const STATES = ['full', 'short', 'deferred', 'not sent', HIDDEN] as const

function stateOf(one: ListedTool, prices: Prices): string {
  if (!one.visible) return HIDDEN
  return prices.formOf(one) ?? (prices.noteOf(one) === '' ? '' : 'not sent')
}

const toolRow = (one: ListedTool, prices: Prices): NoteRow => ({
  cells: [`${one.visible ? '+' : '-'} ${one.tool.name}`, one.tool.access, String(prices.of(one))],
  note: one.visible ? prices.noteOf(one) : one.reason,
})

interface NoteRow {
  readonly cells: readonly string[]
  readonly note: string
}

const GAP = '  '
const INDENT = '    '

/**
 * The lines of each row: its cells in columns, numbers to the right, then the note, or the note below if
 * there is no space for it. If the columns themselves are too wide, the first cell is alone in a line, and
 * the rest below.
 */
function noteTable(rows: readonly NoteRow[], width: number): readonly (readonly string[])[] {
  const columns = (rows[0]?.cells ?? []).map((_, at) => columnOf(rows.map(({ cells }) => cells[at] ?? '')))
  const total = columns.reduce((sum, { size }) => sum + size, 0) + GAP.length * (columns.length - 1)
  return rows.map(({ cells, note }) => {
    if (total > width) return [cells[0] ?? '', ...below([...cells.slice(1), note], width)]
    const padded = cells.map((cell, at) => columns[at]?.pad(cell) ?? cell).join(GAP)
    const fits = padded.length + GAP.length + note.length <= width
    return fits ? [[padded, note].join(GAP).trimEnd()] : [padded.trimEnd(), ...below([note], width)]
  })
}

function columnOf(cells: readonly string[]) {
  const size = Math.max(...cells.map(({ length }) => length))
  const isNumber = cells.every((cell) => cell === '' || /^\d/.test(cell))
  return { size, pad: (cell: string): string => (isNumber ? cell.padStart(size) : cell.padEnd(size)) }
}

function below(texts: readonly string[], width: number): readonly string[] {
  const text = texts.filter((one) => one !== '').join(GAP)
  return text === '' ? [] : brokenInto(text, width - INDENT.length).map((line) => INDENT + line)
}
