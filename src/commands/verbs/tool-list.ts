// Token costs of tools in a prompt, and the lines that show them: the same numbers as in `/wrap`.
import { counted } from '../../base/amounts.ts'
import { plainRows } from '../../base/text/pages.ts'
import { zip } from '../../base/basics.ts'
import { bySource, countsOf } from '../pages/prompt-report.ts'
import { WrapError, type Prompt } from '../../wrap/index.ts'
import type { ListedTool, ToolList } from '../../turns/index.ts'
import type { RoomContext } from '../command.ts'
import type { Services } from './common.ts'
import { GAP, INDENT, padColumn } from './wrap.ts'

/** The note of a visible tool that the room's script or the budget leaves out. */
const NOT_SENT = 'not sent, /wrap tells why'

/** A model, by default the first, and its prompt; no prompt if none can be composed (`/wrap` explains it). */
interface PromptNow {
  readonly model?: string
  readonly prompt?: Prompt
}

export async function promptNow(
  query: Pick<RoomContext, 'room' | 'person'> & { readonly model?: string },
  turns: Services['turns'],
): Promise<PromptNow> {
  const model = query.model ?? turns.names()[0]
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
  /** Returns the tokens of a tool as sent, or of its full definition if it is not sent. */
  of(tool: ListedTool): number
  /** Returns the tokens of a tool as sent, or 0. */
  sent(tool: ListedTool): number
  /** Returns the form in which a visible tool is sent; empty if the form is unknown. */
  noteOf(tool: ListedTool): string
  readonly formOf: (tool: ListedTool) => string | undefined
  /** Tools that are sent in addition to the tools of the list. */
  readonly others: readonly { readonly name: string; readonly tokens: number }[]
}

export function pricesOf(list: ToolList, { model, prompt }: PromptNow): Prices {
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
 * Returns lines of at most `width` cells: the sources of tools with the number, the prompt tokens and the
 * states of their tools; unfolded, also the tools below each source.
 */
export function toolLines(
  tools: readonly ListedTool[],
  prices: Prices,
  form: 'folded' | 'unfolded',
  width: number,
): readonly string[] {
  const groups = bySource(tools, ({ tool }) => tool.source)
  const heads = noteTable(
    groups.map(([source, own]) => groupRow(source, own, prices)),
    width,
  )
  if (form === 'folded') return heads.flat()
  const lines = noteTable(
    groups.flatMap(([, own]) => own.map((one) => toolRow(one, prices))),
    width,
  )
  let taken = 0
  return zip(heads, groups).flatMap(([head, [, own]]) => {
    return [...head, ...lines.slice(taken, (taken += own.length)).flat()]
  })
}

function groupRow(source: string, tools: readonly ListedTool[], prices: Prices): NoteRow {
  const tokens = tools.reduce((sum, one) => sum + prices.sent(one), 0)
  return {
    cells: [source, counted(tools.length, 'tool'), counted(tokens, 'token')],
    note: states(tools, prices),
  }
}

/** Returns `3 short, 31 deferred, 2 hidden`, and the reason for hiding if it is the same for all. */
function states(tools: readonly ListedTool[], prices: Prices): string {
  const counts = countsOf(tools.map((one) => stateOf(one, prices)))
  const reasons = new Set(tools.filter(({ visible }) => !visible).map(({ reason }) => reason))
  // Hidden tools are last in `counts`.
  return reasons.size === 1 ? `${counts} (${[...reasons].join('')})` : counts
}

function stateOf(one: ListedTool, prices: Prices): string {
  if (!one.visible) return 'hidden'
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

/**
 * Returns the lines of each row: its cells in columns, numbers aligned right, then the note, which goes below
 * if it has no space. If the columns are too wide, all cells but the first go below.
 */
function noteTable(rows: readonly NoteRow[], width: number): readonly (readonly string[])[] {
  const columns = (rows[0]?.cells ?? []).map((_, column) => {
    const texts = rows.map(({ cells }) => cells[column] ?? '')
    return padColumn(texts, texts.every((text) => text === '' || /^\d/.test(text)) ? 'padStart' : 'padEnd')
  })
  return rows.map(({ cells: [first = '', ...more], note }, at) => {
    const line = columns.map((texts) => texts[at]).join(GAP)
    if (line.length > width) return [first, ...rowsBelow([...more, note], width)]
    const fits = line.length + GAP.length + note.length <= width
    return fits ? [[line, note].join(GAP).trimEnd()] : [line.trimEnd(), ...rowsBelow([note], width)]
  })
}

function rowsBelow(texts: readonly string[], width: number): readonly string[] {
  const text = texts.filter((one) => one !== '').join(GAP)
  return text === '' ? [] : plainRows(INDENT + text, width, INDENT)
}
