import type { Layer } from './layers.ts'
import { countEntries } from './entry-texts.ts'
import { createKnownCounts, type KnowingCounter } from './compose-cache.ts'
import { type BudgetSums, type BudgetTerms, createLedger, type Ledger } from './ledger.ts'
import { WrapError } from './ports.ts'
import type { LayerReport, PromptTool } from './prompt.ts'
import type { ToolOffer } from './tool-offer.ts'
import { fullText, type TrimmedText, trimLayer } from './trim.ts'

/** A filled budget; every layer has its report, in the order of the text. */
export interface FilledBudget {
  readonly system: string
  readonly context: string
  readonly sums: BudgetSums
  readonly layers: readonly LayerReport[]
  readonly tools: readonly PromptTool[]
}

/** The tools must leave more to required layers: tokens that they may have, their layer's text included. */
export interface FewerTools {
  readonly toolTokens: number
}

/**
 * Gives the target's tokens to the layers in order of priority, equal ones in the order in which the script named
 * them. With `toolsFirst`, the tools come right after required layers: then other text gives way to them. What a layer
 * gets depends only on the message and on the layers before it. The total is counted on the joined texts after each
 * layer, so it is exact, and never over the target.
 *
 * Returns `FewerTools` if the tools take too much: they never keep a required layer out. Throws `WrapError('budget')` if
 * the message or a required layer does not fit though there are no tools.
 */
export function fillBudget(
  layers: readonly Layer[],
  offer: ToolOffer | undefined,
  given: BudgetTerms,
): FilledBudget | FewerTools {
  const terms = { ...given, counter: createKnownCounts(given.counter) }
  const ledger = createLedger(layers, terms)
  const inOrder = inServingOrder(layers, terms)
  checkMessage(ledger, inOrder, terms)
  const reports = new Map<Layer, LayerReport>()
  for (const layer of inOrder) {
    const candidate = { layer, offer: layer.tools && offer, ledger, terms }
    const report = fit(candidate)
    if ('toolTokens' in report) return report
    if (report.status === 'dropped' && layer.required) return withFewerTools(candidate, reports)
    reports.set(layer, report)
  }
  const hasTools = layers.some((layer) => layer.tools && reports.get(layer)?.status !== 'dropped')
  return {
    system: ledger.text('system'),
    context: ledger.text('context'),
    sums: ledger.sums(),
    layers: layers.flatMap((layer) => reports.get(layer) ?? []),
    tools: offer && hasTools ? offer.tools : [],
  }
}

function inServingOrder(layers: readonly Layer[], { toolsFirst = false }: BudgetTerms): readonly Layer[] {
  const rank = ({ required, tools }: Layer): number => (!toolsFirst || required ? 0 : tools ? 1 : 2)
  return layers.toSorted((a, b) => rank(a) - rank(b) || a.priority - b.priority)
}

/** Throws, unless the first required layer would not fit even alone: the error about that layer says more. */
function checkMessage(
  ledger: Ledger,
  inOrder: readonly Layer[],
  { message, target, counter }: BudgetTerms,
): void {
  if (message === '' || ledger.total() <= target) return
  const { message: needed, framing } = ledger.sums()
  const first = inOrder.find((layer) => layer.required)
  if (first && counter.count(fullText(first)) > target - framing) return
  throw new WrapError(
    'budget',
    `wrap: the message needs ${needed} tokens, ${Math.max(0, target - framing)} of ${target} are left`,
  )
}

interface Candidate {
  readonly layer: Layer
  /** The tools that go with this layer. */
  readonly offer: ToolOffer | undefined
  readonly ledger: Ledger
  readonly terms: BudgetTerms & { readonly counter: KnowingCounter }
}

function fit(candidate: Candidate): LayerReport | FewerTools {
  const { layer, offer, terms } = candidate
  const text = fullText(layer)
  if (layer.entries) terms.counter.know(text, countEntries(layer.heading, layer.entries, terms.counter))
  if (!isOverItsMost(candidate) && put(candidate, text)) return report(candidate, text, 'kept', '')
  if (offer && !offer.last) {
    const cost = terms.counter.count(text) + offer.tokens
    return { toolTokens: Math.min(offer.cap, cost - whatIsOver(candidate)) }
  }
  // A list of tools is never cut: what it names and what is sent are the same.
  const trimmed = offer ? undefined : putTrimmed(candidate)
  if (trimmed) return report(candidate, trimmed.text, 'trimmed', trimmed.note)
  return report(candidate, '', 'dropped', `${whatIsMissing(candidate)}${offer ? shareIn(offer) : ''}`)
}

/**
 * Why there are no tools, for people: they have less than their share if layers that are served before them, or are
 * required, need the rest.
 */
const shareIn = ({ cap, share }: ToolOffer): string =>
  cap < share ? `; more important layers leave ${cap} for tools` : `; tools may have ${cap}`

const isOverItsMost = ({ layer: { maxTokens }, terms, layer }: Candidate): boolean =>
  maxTokens !== undefined && terms.counter.count(fullText(layer)) > maxTokens

/** A required layer does not fit: tools give way to it. Throws `WrapError('budget')` if there are none. */
function withFewerTools(candidate: Candidate, reports: ReadonlyMap<Layer, LayerReport>): FewerTools {
  const tools = [...reports].find(([layer, { status }]) => layer.tools && status !== 'dropped')?.[1]
  if (tools) return { toolTokens: tools.tokens - whatIsOver(candidate) }
  throw new WrapError('budget', `wrap: layer "${candidate.layer.name}" ${whatIsMissing(candidate)}`)
}

/** Tokens by which a layer is too long. */
const whatIsOver = ({ layer, offer, ledger, terms }: Candidate): number =>
  ledger.totalWith({ layer, text: fullText(layer), toolTokens: offer?.tokens }) - terms.target

function put({ layer, offer, ledger, terms }: Candidate, text: string): boolean {
  if (offer && terms.counter.count(text) + offer.tokens > offer.cap) return false
  return ledger.tryPut({ layer, text, toolTokens: offer?.tokens })
}

/** The sum moves by a token or two if texts meet: a text that is just too long is trimmed again, shorter. */
function putTrimmed(candidate: Candidate): TrimmedText | undefined {
  const { layer, ledger, terms } = candidate
  let allowed = Math.min(left(candidate), layer.maxTokens ?? Infinity)
  while (allowed > 0) {
    const trimmed = trimLayer(layer, allowed, terms.counter)
    if (trimmed?.tokens !== undefined) terms.counter.know(trimmed.text, trimmed.tokens)
    if (!trimmed || put(candidate, trimmed.text)) return trimmed
    const total = ledger.totalWith({ layer, text: trimmed.text, toolTokens: undefined })
    allowed -= Math.max(1, total - terms.target)
  }
  return undefined
}

const left = ({ ledger, terms }: Candidate): number => Math.max(0, terms.target - ledger.total())

function whatIsMissing(candidate: Candidate): string {
  const { layer, offer, ledger, terms } = candidate
  const withLayer = ledger.totalWith({ layer, text: fullText(layer), toolTokens: offer?.tokens })
  const most = isOverItsMost(candidate) ? `, it may have ${layer.maxTokens}` : ''
  return `needs ${withLayer - ledger.total()} tokens${most}, ${left(candidate)} of ${terms.target} are left`
}

function report(
  { layer, offer, terms }: Candidate,
  text: string,
  status: LayerReport['status'],
  note: string,
): LayerReport {
  const { name, priority, system } = layer
  const definitions = status === 'dropped' ? 0 : (offer?.tokens ?? 0)
  const tokens = status === 'dropped' ? 0 : terms.counter.count(text) + definitions
  const placement = system ? 'system' : 'context'
  const more = definitions === 0 ? {} : { definitions }
  return { name, priority, placement, tokens, status, note, length: text.length, ...more }
}
