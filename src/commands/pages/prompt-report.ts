import { counted } from '../../base/amounts.ts'
import { cleanLine } from '../../base/text/clean-text.ts'
import { pictureDetails } from '../../words/picture.ts'
import { type BudgetReport, type LayerReport, type Prompt, type PromptTool, BREAK } from '../../wrap/index.ts'

/** A part of the budget: a layer's text, tool definitions, the message, or the provider's framing. */
export interface BudgetShare {
  /** One line, without control characters. */
  readonly name: string
  readonly tokens: number
  /** The state of the part; one line, without control characters. */
  readonly note: string
  readonly layer?: LayerReport
  readonly isTools?: true
}

/** Returns all parts in the order of the text. Tool definitions follow their layer. */
export function sharesOf({ layers, budget, tools, pictures = [] }: Prompt): readonly BudgetShare[] {
  const others = [
    { name: 'message', tokens: budget.message, note: 'what is answered' },
    { name: 'pictures', tokens: budget.pictures ?? 0, note: pictures.map(pictureDetails).join('; ') },
    { name: 'framing', tokens: budget.framing, note: 'what the provider adds' },
  ].filter(({ tokens }) => tokens > 0)
  return [...layers.flatMap((layer) => sharesOfLayer(layer, tools)), ...others]
}

function sharesOfLayer(layer: LayerReport, tools: readonly PromptTool[]): readonly BudgetShare[] {
  const { tokens, status, note, definitions = 0 } = layer
  const name = cleanLine(layer.name)
  const text = {
    name,
    tokens: tokens - definitions,
    note: cleanLine(note ? `${status}: ${note}` : status),
    layer,
  }
  if (definitions === 0) return [text]
  return [
    text,
    { name: 'definitions', tokens: definitions, note: counted(tools.length, 'tool'), isTools: true },
  ]
}

/** Returns `window 32768: 4096 for the answer, 5 for safety`, which is for providers that count higher. */
export function keptText({ window, reserved_output, target }: BudgetReport): string {
  const answer = `window ${window}: ${reserved_output} for the answer`
  const denser = window - reserved_output - target
  return denser > 0 ? `${answer}, ${denser} more for safety` : answer
}

const STATES = ['full', 'short', 'deferred', 'not sent', 'hidden']

/** Counts the tools in each state: `12 full, 2 deferred`. */
export const countsOf = (states: readonly string[]): string =>
  STATES.map((state) => ({ state, count: states.filter((one) => one === state).length }))
    .filter(({ count }) => count > 0)
    .map(({ state, count }) => `${count} ${state}`)
    .join(', ')

/** Returns `4.2%`, or `–` if the whole is 0. */
export const percentOf = (part: number, whole: number): string =>
  whole > 0 ? `${((100 * part) / whole).toFixed(1)}%` : '–'

/**
 * Returns the text of each layer exactly as it is sent, empty for a dropped layer; undefined if the lengths
 * of the layers are unknown or do not add up to the text.
 */
export function layerTexts({
  layers,
  system,
  context,
}: Pick<Prompt, 'layers' | 'system' | 'context'>): ReadonlyMap<LayerReport, string> | undefined {
  const layersIn = (place: LayerReport['placement']) => layers.filter(({ placement }) => placement === place)
  const inSystem = cut(system, layersIn('system'))
  const inContext = cut(context, layersIn('context'))
  return inSystem && inContext ? new Map([...inSystem, ...inContext]) : undefined
}

function cut(
  whole: string,
  layers: readonly LayerReport[],
): readonly (readonly [LayerReport, string])[] | undefined {
  const texts: [LayerReport, string][] = []
  let at = 0
  for (const layer of layers) {
    if (layer.length === undefined) return undefined
    if (at > 0 && layer.length > 0) at += BREAK.length
    texts.push([layer, whole.slice(at, at + layer.length)])
    at += layer.length
  }
  return at === whole.length ? texts : undefined
}

/** Tools that come from one source: `builtin`, `internal`, `wrapped`, or the name of a server. */
export interface SourceGroup {
  readonly source: string
  readonly tools: readonly PromptTool[]
  /** Tokens of all their definitions as sent. */
  readonly tokens: number
}

/** Groups tools by source, in the order of each source's first tool. `sources` has the sources by tool id. */
export function toolGroups(
  tools: readonly PromptTool[],
  sources: ReadonlyMap<string, string>,
): readonly SourceGroup[] {
  // `find_tools` comes with a prompt and is in no catalogue.
  const groups = bySource(tools, ({ id, name }) => sources.get(id) ?? name)
  return groups.map(([source, own]) => ({
    source,
    tools: own,
    tokens: own.reduce((sum, { tokens }) => sum + tokens, 0),
  }))
}

/** Groups tools by source, in the order of each source's first tool. */
export function bySource<T>(
  tools: readonly T[],
  sourceOf: (tool: T) => string,
): readonly (readonly [source: string, tools: readonly T[]])[] {
  const groups = new Map<string, T[]>()
  for (const tool of tools) {
    const group = groups.get(sourceOf(tool))
    if (group) group.push(tool)
    else groups.set(sourceOf(tool), [tool])
  }
  return [...groups]
}

export interface ShownPrompt {
  readonly model: string
  readonly prompt: Prompt
  readonly groups: readonly SourceGroup[]
}
