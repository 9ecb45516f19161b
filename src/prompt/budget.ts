import type { DraftLayer } from './draft.ts'
import { createLedger, type Ledger, type Sums, type Terms } from './ledger.ts'
import { WrapError } from './ports.ts'
import type { LayerReport, PromptTool } from './prompt.ts'
import { fullText, trimLayer } from './trim.ts'

/** The tools that go with a layer, in one form. */
export interface ToolOffer {
  readonly tools: readonly PromptTool[]
  /** Tokens that the tools and their layer's text may have together. */
  readonly cap: number
  /** True if nothing cheaper can be offered: then the text is cut or left out instead. */
  readonly last: boolean
}

/** A filled budget; every layer has its report, in the order of the text. */
export interface Filled {
  readonly system: string
  readonly context: string
  readonly sums: Sums
  readonly layers: readonly LayerReport[]
  readonly tools: readonly PromptTool[]
}

/**
 * Gives the target's tokens to the layers in order of priority, ties in order of declaration. What a layer
 * gets depends only on the message and on the layers before it. The total is counted on the joined texts
 * after each layer, so it is exact, and never over the target.
 *
 * Returns 'tools-too-dear' if the offer must be made in a cheaper form. Throws `WrapError('budget')` if the
 * message or a required layer does not fit.
 */
export function fillBudget(
  layers: readonly DraftLayer[],
  offer: ToolOffer | undefined,
  terms: Terms,
): Filled | 'tools-too-dear' {
  const ledger = createLedger(layers, terms)
  checkMessage(ledger, layers, terms)
  const reports = new Map<number, LayerReport>()
  for (const index of byPriority(layers)) {
    const layer = layers[index]!
    const report = place({ layer, index, offer: layer.tools && offer, ledger, terms })
    if (report === undefined) return 'tools-too-dear'
    if (report.status === 'dropped' && layer.required) throw tooSmall(layer, index, offer, ledger, terms)
    reports.set(index, report)
  }
  return {
    system: ledger.textOf('system'),
    context: ledger.textOf('context'),
    sums: ledger.sums(),
    layers: layers.map((_layer, index) => reports.get(index)!),
    tools: offer && sentTools(layers, reports) ? offer.tools : [],
  }
}

const byPriority = (layers: readonly DraftLayer[]): readonly number[] =>
  [...layers.keys()].toSorted((a, b) => layers[a]!.priority - layers[b]!.priority || a - b)

const sentTools = (layers: readonly DraftLayer[], reports: ReadonlyMap<number, LayerReport>): boolean =>
  layers.some((layer, index) => layer.tools !== undefined && reports.get(index)!.status !== 'dropped')

/** Where not even the first required layer would fit by itself, that layer is the one to tell of. */
function checkMessage(
  ledger: Ledger,
  layers: readonly DraftLayer[],
  { message, target, counter }: Terms,
): void {
  if (message === '' || ledger.total() <= target) return
  const { message: needed, framing } = ledger.sums()
  const first = byPriority(layers).find((index) => layers[index]!.required)
  if (first !== undefined && counter.count(fullText(layers[first]!)) > target - framing) return
  throw new WrapError(
    'budget',
    `wrap: the message needs ${needed} tokens, ${Math.max(0, target - framing)} of ${target} are left`,
  )
}

interface Placing {
  readonly layer: DraftLayer
  readonly index: number
  readonly offer: ToolOffer | undefined
  readonly ledger: Ledger
  readonly terms: Terms
}

/** What becomes of one layer; undefined if its tools are to be offered in a cheaper form. */
function place(placing: Placing): LayerReport | undefined {
  const { layer, offer } = placing
  const text = fullText(layer)
  if (put(placing, text)) return report(placing, text, 'kept', '')
  if (offer && !offer.last) return undefined
  const trimmed = putTrimmed(placing)
  if (trimmed) return report(placing, trimmed.text, 'trimmed', trimmed.note)
  return report(placing, '', 'dropped', whyDropped(placing))
}

const costOf = (offer: ToolOffer | undefined): number =>
  offer?.tools.reduce((sum, tool) => sum + tool.tokens, 0) ?? 0

function put({ index, offer, ledger, terms }: Placing, text: string): boolean {
  if (!offer) return ledger.tryPut(index, text)
  const tokens = costOf(offer)
  return terms.counter.count(text) + tokens <= offer.cap && ledger.tryPut(index, text, { tokens })
}

/** Where two texts meet, the sum may move by a token or two: a cut that is just too long is made again, shorter. */
function putTrimmed(placing: Placing): { readonly text: string; readonly note: string } | undefined {
  const { layer, index, offer, ledger, terms } = placing
  const tools = offer && { tokens: costOf(offer) }
  let allowance = Math.min(left(ledger, terms), offer?.cap ?? Infinity) - (tools?.tokens ?? 0)
  while (allowance > 0) {
    const trimmed = trimLayer(layer, allowance, terms.counter)
    if (!trimmed) return undefined
    if (put(placing, trimmed.text)) return trimmed
    allowance -= Math.max(1, ledger.totalWith(index, trimmed.text, tools) - terms.target)
  }
  return undefined
}

const left = (ledger: Ledger, { target }: Terms): number => Math.max(0, target - ledger.total())

function needed({ layer, index, offer, ledger }: Placing): number {
  const tools = offer && { tokens: costOf(offer) }
  return ledger.totalWith(index, fullText(layer), tools) - ledger.total()
}

function whyDropped(placing: Placing): string {
  const { offer, ledger, terms } = placing
  const share = offer ? `; tools may have ${offer.cap}` : ''
  return `needs ${needed(placing)} tokens, ${left(ledger, terms)} of ${terms.target} are left${share}`
}

function report(placing: Placing, text: string, status: LayerReport['status'], note: string): LayerReport {
  const { layer, offer, terms } = placing
  const tokens = status === 'dropped' ? 0 : terms.counter.count(text) + costOf(offer)
  return {
    name: layer.name,
    priority: layer.priority,
    placement: layer.system ? 'system' : 'context',
    tokens,
    status,
    note,
  }
}

function tooSmall(
  layer: DraftLayer,
  index: number,
  offer: ToolOffer | undefined,
  ledger: Ledger,
  terms: Terms,
): WrapError {
  const placing = { layer, index, offer: layer.tools && offer, ledger, terms }
  const facts = `needs ${needed(placing)} tokens, ${left(ledger, terms)} of ${terms.target} are left`
  const tools = ledger.sums().tools > 0 || layer.tools ? dearest(offer) : ''
  return new WrapError('budget', `wrap: layer "${layer.name}" ${facts}${tools}`)
}

/** Where tools are the reason, people are told which. */
function dearest(offer: ToolOffer | undefined): string {
  if (!offer || offer.tools.length === 0) return ''
  const top = offer.tools.toSorted((a, b) => b.tokens - a.tokens).slice(0, 3)
  const named = top.map((tool) => `${tool.name} (${tool.tokens})`).join(', ')
  return `; ${offer.tools.length} tools take ${costOf(offer)}, the dearest are ${named}`
}
