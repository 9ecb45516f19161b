/**
 * What people are shown of a prompt, whatever draws it: which part of the budget takes how much, and which text is whose.
 * This folder must not know how a prompt is composed, nor what a terminal or a page is.
 */
import { counted } from '../../lib/plural.ts'
import { cleanLine } from '../../lib/text/clean-text.ts'
import type { BudgetReport, LayerReport, Prompt, PromptTool } from '../prompt.ts'

/** What takes a share of the budget: a layer's text, the definitions of tools, the message, what the provider adds. */
export interface BudgetShare {
  /** On one line, and clean. */
  readonly name: string
  readonly tokens: number
  /** What became of it; on one line, and clean. */
  readonly note: string
  /** Present for the text of a layer. */
  readonly layer?: LayerReport
  /** True for the definitions of the tools. */
  readonly isTools?: true
}

/** All shares, in the order of the text. The definitions of tools follow the layer that they go with. */
export function sharesOf({ layers, budget, tools }: Prompt): readonly BudgetShare[] {
  const others = [
    { name: 'message', tokens: budget.message, note: 'what is answered' },
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

/**
 * `4096 more are kept for the answer, of 32768`, and what is not used because the provider counts more than we do: with what is
 * used and what is free, the window.
 */
export function keptText({ window, reserved_output, target }: BudgetReport): string {
  const answer = `${reserved_output} more are kept for the answer, of ${window}`
  const denser = window - reserved_output - target
  return denser > 0 ? `${answer}; ${denser} because its provider counts more than we do` : answer
}

/** `12 full, 2 deferred`. */
export const formsNote = (tools: readonly PromptTool[]): string =>
  (['full', 'short', 'deferred'] as const)
    .map((rung) => ({ rung, count: tools.filter(({ form }) => form === rung).length }))
    .filter(({ count }) => count > 0)
    .map(({ rung, count }) => `${count} ${rung}`)
    .join(', ')

/** `4.2%`, one digit after the point; `–` of nothing. */
export const percentOf = (part: number, whole: number): string =>
  whole > 0 ? `${((100 * part) / whole).toFixed(1)}%` : '–'
