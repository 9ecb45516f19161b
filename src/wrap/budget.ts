import { createKnownCounts, type SeedableCounter } from './compose-cache.ts'
import { countEntryTokens } from './entry-texts.ts'
import { inTextOrder, type Layer } from './layers.ts'
import { type BudgetSums, type BudgetInputs, Ledger } from './ledger.ts'
import { WrapError } from './ports.ts'
import type { LayerReport, PromptTool } from './prompt.ts'
import type { PricedTools } from './scope/rungs.ts'
import { fullText, trimLayer } from './trim.ts'

export interface FilledBudget {
  readonly system: string
  readonly context: string
  readonly stablePrefix: number
  readonly sums: BudgetSums
  readonly layers: readonly LayerReport[]
  readonly tools: readonly PromptTool[]
}

/** Tokens for the tools and their layer's text that leave space for required layers. */
interface FewerTools {
  readonly toolTokens: number
}

/**
 * Gives the target's tokens to layers by priority, equal layers in the script's order. A layer's tokens
 * depend only on the message and the layers before it. The total is exact, because it is counted on the
 * joined texts. Returns `FewerTools` if the tools would keep a required layer out. Throws
 * `WrapError('budget')` if the message or a required layer does not fit even without tools.
 */
export function fillBudget(
  layers: readonly Layer[],
  priced: PricedTools | undefined,
  given: BudgetInputs,
): FilledBudget | FewerTools {
  const counter = createKnownCounts(given.counter)
  const terms = { ...given, counter }
  const ledger = new Ledger(layers, terms)
  const ordered = inServingOrder(layers, terms)
  checkMessage(ledger, ordered, terms)
  const reports = new Map<Layer, LayerReport>()
  for (const layer of ordered) {
    const candidate = { layer, text: fullText(layer), priced: layer.tools && priced, ledger, terms }
    const report = fitLayer(candidate)
    if ('toolTokens' in report) return report
    if (report.status === 'dropped' && layer.required) {
      const tools = [...reports].find(([one, { status }]) => one.tools && status !== 'dropped')?.[1]
      if (tools) return { toolTokens: tools.tokens - overrun(candidate) }
      throw new WrapError('budget', `wrap: layer "${layer.name}" ${shortageText(candidate)}`)
    }
    reports.set(layer, report)
  }
  const hasTools = layers.some((layer) => layer.tools && reports.get(layer)?.status !== 'dropped')
  return {
    system: ledger.text('system'),
    context: ledger.text('context'),
    stablePrefix: ledger.stablePrefix(),
    sums: ledger.sums(),
    layers: inTextOrder(layers).flatMap((layer) => reports.get(layer) ?? []),
    tools: priced && hasTools ? priced.tools : [],
  }
}

function inServingOrder(layers: readonly Layer[], { toolsFirst = false }: BudgetInputs): readonly Layer[] {
  const rank = ({ required, tools }: Layer): number => (!toolsFirst || required ? 0 : tools ? 1 : 2)
  return layers.toSorted((a, b) => rank(a) - rank(b) || a.priority - b.priority)
}

/** Throws if the message does not fit, unless the first required layer alone fails: its error says more. */
function checkMessage(
  ledger: Ledger,
  ordered: readonly Layer[],
  { message, target, counter }: BudgetInputs,
): void {
  if (message === '' || ledger.total() <= target) return
  const { message: needed, framing, pictures } = ledger.sums()
  const first = ordered.find((layer) => layer.required)
  if (first && counter.count(fullText(first)) > target - framing - pictures) return
  const tokensLeft = Math.max(0, target - framing - pictures)
  throw new WrapError(
    'budget',
    `wrap: the message needs ${needed} tokens, ${tokensLeft} of ${target} are left`,
  )
}

interface Candidate {
  readonly layer: Layer
  readonly text: string
  readonly priced: PricedTools | undefined
  readonly ledger: Ledger
  readonly terms: BudgetInputs & { readonly counter: SeedableCounter }
}

function fitLayer(candidate: Candidate): LayerReport | FewerTools {
  const { layer, text, priced, terms } = candidate
  const { counter } = terms
  if (layer.entries) counter.know(text, countEntryTokens(layer.heading, layer.entries, counter))
  if (!isOverMaximum(candidate) && tryPut(candidate, text)) return report(candidate, text, 'kept', '')
  if (!priced) {
    const trimmed = putTrimmed(candidate)
    if (trimmed) return report(candidate, trimmed.text, 'trimmed', trimmed.note)
    return report(candidate, '', 'dropped', shortageText(candidate))
  }
  // A list of tools is never trimmed, because it must name the tools that are sent.
  const { tokens, cap, share, last } = priced
  if (!last) return { toolTokens: Math.min(cap, counter.count(text) + tokens - overrun(candidate)) }
  const why = cap < share ? `more important layers leave ${cap} for tools` : `tools may have ${cap}`
  return report(candidate, '', 'dropped', `${shortageText(candidate)}; ${why}`)
}

const isOverMaximum = ({ layer: { maxTokens }, text, terms }: Candidate): boolean =>
  maxTokens !== undefined && terms.counter.count(text) > maxTokens

function tryPut({ layer, priced, ledger, terms }: Candidate, text: string): boolean {
  if (priced && terms.counter.count(text) + priced.tokens > priced.cap) return false
  return ledger.tryPut({ layer, text, toolTokens: priced?.tokens })
}

/** Trims a text again if it is just too long: joined texts may have a token or two more than apart. */
function putTrimmed(candidate: Candidate): ReturnType<typeof trimLayer> {
  const { layer, ledger, terms } = candidate
  let allowed = Math.min(left(candidate), layer.maxTokens ?? Infinity)
  while (allowed > 0) {
    const trimmed = trimLayer(layer, allowed, terms.counter)
    if (trimmed?.tokens !== undefined) terms.counter.know(trimmed.text, trimmed.tokens)
    if (!trimmed || tryPut(candidate, trimmed.text)) return trimmed
    const total = ledger.totalWith({ layer, text: trimmed.text, toolTokens: undefined })
    allowed -= Math.max(1, total - terms.target)
  }
  return undefined
}

const left = ({ ledger, terms }: Candidate): number => Math.max(0, terms.target - ledger.total())

const totalWith = ({ layer, text, priced, ledger }: Candidate): number =>
  ledger.totalWith({ layer, text, toolTokens: priced?.tokens })

const overrun = (candidate: Candidate): number => totalWith(candidate) - candidate.terms.target

function shortageText(candidate: Candidate): string {
  const { layer, ledger, terms } = candidate
  const most = isOverMaximum(candidate) ? `, it may have ${layer.maxTokens}` : ''
  const needed = totalWith(candidate) - ledger.total()
  return `needs ${needed} tokens${most}, ${left(candidate)} of ${terms.target} are left`
}

function report(
  { layer, priced, terms }: Candidate,
  text: string,
  status: LayerReport['status'],
  note: string,
): LayerReport {
  const { name, priority, system, late } = layer
  const definitions = status === 'dropped' ? 0 : (priced?.tokens ?? 0)
  const tokens = status === 'dropped' ? 0 : terms.counter.count(text) + definitions
  const placement = system ? 'system' : 'context'
  const more = { ...(definitions > 0 && { definitions }), ...(late && { late }) }
  return { name, priority, placement, tokens, status, note, length: text.length, ...more }
}
