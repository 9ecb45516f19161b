import type { ToolForm } from '../prompt.ts'
import type { KeptTool, ToolsInTurn } from '../snapshot.ts'
import type { Pricer } from './tool-definitions.ts'
import type { UniqueTool } from './tool-names.ts'

export interface RungStep {
  readonly tool: UniqueTool
  readonly from: ToolForm
  readonly form: 'full' | 'short'
}

export interface RungOrder {
  readonly steps: readonly RungStep[]
  /** The number of steps of the tools that were called in this turn. */
  readonly calledSteps: number
  /** The number of steps that leave no tool deferred; undefined if a request may not have all tools. */
  readonly allSteps: number | undefined
  readonly inOrder: readonly UniqueTool[]
}

/** The order is the same for every allowance. */
interface RungOrderTerms extends ToolsInTurn {
  readonly target: number
  readonly maxTools: number
  readonly calls: Readonly<Record<string, number>>
  readonly price: Pricer
}

/**
 * Returns the order in which tools rise to short and full; backwards, the order in which they fall:
 *
 * 1. Tools called in this turn, the last call first, up to the form in which they were called.
 * 2. Tools that `find_tools` named in this turn, the newest first: short, or up to the form that they had.
 * 3. All others: the most used in this room first, then those of no MCP server, then the cheapest; short.
 * 4. From short to full, the cheapest first.
 * 5. Tools too large to displace others, the cheapest first: short, then full.
 *
 * Costs are bytes here, which are known without counting.
 */
export function rungOrder(offered: readonly UniqueTool[], terms: RungOrderTerms): RungOrder {
  const all = offered.map((tool) => traitsOf(tool, terms))
  const called = all.filter((one) => one.called).toSorted((a, b) => newestFirst(a.called, b.called))
  const uncalled = all.filter((one) => !one.called)
  const found = uncalled.filter((one) => one.found).toSorted((a, b) => newestFirst(a.found, b.found))
  const others = uncalled.filter((one) => !one.found)
  const usual = others.filter(({ isHuge }) => !isHuge).toSorted(mostUsedFirst)
  const huge = others.filter(({ isHuge }) => isHuge).toSorted(cheapestFirst('short'))
  const inOrder = [...called, ...found, ...usual, ...huge]
  // One place is reserved for find_tools.
  const places = all.length <= terms.maxTools ? all.length : Math.max(0, terms.maxTools - 1)
  const sent = new Set(inOrder.slice(0, places))
  const rise = (some: readonly Traits[], from: ToolForm, form: RungStep['form']): readonly RungStep[] =>
    some.filter((one) => sent.has(one)).map(({ tool }) => ({ tool, from, form }))
  const toShort = (some: readonly Traits[]): readonly RungStep[] => rise(some, 'deferred', 'short')
  const toFull = (some: readonly Traits[]): readonly RungStep[] => rise(some, 'short', 'full')
  const foundShort = found.filter((one) => one.found?.form !== 'full')
  const ofCalled = [...toShort(called), ...toFull(called.filter((one) => one.called?.form === 'full'))]
  const ofFound = [...toShort(found), ...toFull(found.filter((one) => one.found?.form === 'full'))]
  const ofUsual = [...toShort(usual), ...toFull([...foundShort, ...usual].toSorted(cheapestFirst('full')))]
  const ofHuge = [...toShort(huge), ...toFull(huge.toSorted(cheapestFirst('full')))]
  const toLast = huge.length > 0 ? ofUsual.length + huge.length : usual.length
  return {
    steps: [...ofCalled, ...ofFound, ...ofUsual, ...ofHuge],
    calledSteps: ofCalled.length,
    allSteps: sent.size === all.length ? ofCalled.length + ofFound.length + toLast : undefined,
    inOrder: inOrder.map(({ tool }) => tool),
  }
}

interface Traits {
  readonly tool: UniqueTool
  /** The tool's last call in this turn. */
  readonly called: Kept | undefined
  /** The last time that a search of this turn found the tool. */
  readonly found: Kept | undefined
  readonly rank: number
  readonly isOfServer: boolean
  readonly bytes: Readonly<Record<'full' | 'short', number>>
  readonly isHuge: boolean
}

/** `at` is the position in the order of calls or finds. */
interface Kept {
  readonly form: 'full' | 'short'
  readonly at: number
}

/** Bytes per token of the prompt, about an eighth of it: larger, often called tools would displace others. */
const HUGE_BYTES_PER_TOKEN = 0.5

function traitsOf(tool: UniqueTool, { target, calls, found, called, price }: RungOrderTerms): Traits {
  const { id, group } = tool.tool
  const ids = [id, ...tool.aliases.map((one) => one.id)]
  const sum = ids.reduce((total, one) => total + (Object.hasOwn(calls, one) ? (calls[one] ?? 0) : 0), 0)
  const bytes = { full: price.bytes(tool.tool, 'full'), short: price.bytes(tool.tool, 'short') }
  return {
    tool,
    called: lastKept(called, ids),
    found: lastKept(found, ids),
    rank: usageRank(sum),
    isOfServer: group === 'mcp',
    bytes,
    isHuge: bytes.short > target * HUGE_BYTES_PER_TOKEN,
  }
}

function lastKept(kept: readonly KeptTool[], ids: readonly string[]): Kept | undefined {
  const at = kept.findLastIndex(({ id }) => ids.includes(id))
  const form = kept[at]?.form
  return form && { form, at }
}

/** Grows by one when the calls double, so that a provider's cache of the prompt stays valid. */
const usageRank = (calls: number): number => Math.ceil(Math.log2(Math.max(0, calls) + 1))

const newestFirst = (a: Kept | undefined, b: Kept | undefined): number => (b?.at ?? -1) - (a?.at ?? -1)

const mostUsedFirst = (a: Traits, b: Traits): number =>
  b.rank - a.rank || Number(a.isOfServer) - Number(b.isOfServer) || cheapestFirst('short')(a, b)

const cheapestFirst =
  (form: 'full' | 'short') =>
  (a: Traits, b: Traits): number =>
    a.bytes[form] - b.bytes[form] || (a.tool.tool.id < b.tool.tool.id ? -1 : 1)
