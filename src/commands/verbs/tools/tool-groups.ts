import { counted } from '../../../lib/plural.ts'
import { zip } from '../../../lib/zip.ts'
import type { ListedTool } from '../../../toolbox/tool-list.ts'
import { noteTable, type NoteRow } from './note-table.ts'
import type { Prices } from './tool-prices.ts'

/** How tools are shown. */
export interface ToolsLook {
  /** Each group with its tools, or only what there is in it. */
  readonly form: 'folded' | 'unfolded'
  /** Cells of a line. */
  readonly width: number
}

/**
 * Lines for people: the tools by their source (`builtin`, `internal`, a server …), with how many there are, what their
 * definitions take of the prompt, and what became of them; unfolded, the tools of each below it.
 */
export function toolGroups(
  tools: readonly ListedTool[],
  prices: Prices,
  { form, width }: ToolsLook,
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
