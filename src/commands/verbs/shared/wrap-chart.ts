import { cleanLine } from '../../../lib/text/clean-text.ts'
import type { Span, Styled } from '../../../lib/text/styled.ts'
import type { BudgetReport, LayerReport, Prompt, PromptTool } from '../../../prompt/prompt.ts'

/** What the bar is filled with, part by part: they differ without any colour, neighbours most. */
const FILLS = ['█', '▒', '▚', '░', '▓', '▞', '▙', '#', '▟', '=', '+', '-']
const FREE = '·'
const NARROWEST = 10

type Line = readonly Span[]

/** What takes a share of the budget: a layer, the message, what the provider adds. */
interface Part {
  readonly name: string
  readonly tokens: number
  /** What stands beside the tokens. */
  readonly facts: string
  readonly note: string
}

/** A prompt for people: the budget as one stacked bar of `columns` cells, a line a layer, a line a tool. */
export function wrapChart(model: string, prompt: Prompt, columns: number): Styled {
  const { budget } = prompt
  const parts = partsOf(prompt)
  return {
    lines: [
      [{ text: heading(model, prompt) }],
      [{ text: sums(budget) }],
      bar(parts, budget, Math.max(NARROWEST, columns - 1)),
      ...legend(parts, budget),
      [{ text: `${FREE} free ${budget.target - budget.used}; ${kept(budget)}` }],
      ...toolLines(prompt.tools).map((text) => [{ text }]),
      ...prompt.warnings.map((warning) => [{ text: `! ${cleanLine(warning)}` }]),
    ],
  }
}

const heading = (model: string, { budget: { used, target }, encoding }: Prompt): string =>
  `@${model}: ${used} of ${target} tokens (${percent(used, target)}), ${encoding}`

/** The exact sum; the layers below are counted one by one, and texts that meet can differ from it by a few. */
const sums = ({ system, context, message, tools, framing, used }: BudgetReport): string =>
  `system ${system} + context ${context} + message ${message} + tools ${tools} + framing ${framing} = ${used}`

function kept({ window, reserved_output, target }: BudgetReport): string {
  const answer = `${reserved_output} more are kept for the answer, of ${window}`
  const denser = window - reserved_output - target
  return denser > 0 ? `${answer}; ${denser} because its provider counts more than we do (/models)` : answer
}

function partsOf({ layers, budget }: Prompt): readonly Part[] {
  const others = [
    { name: 'message', tokens: budget.message, note: 'what is answered' },
    { name: 'framing', tokens: budget.framing, note: 'what the provider adds' },
  ].filter(({ tokens }) => tokens > 0)
  return [...layers.map(layerPart), ...others.map((part) => ({ ...part, facts: '' }))]
}

const layerPart = ({ name, tokens, placement, priority, status, note }: LayerReport): Part => ({
  name: cleanLine(name),
  tokens,
  facts: `${placement.padEnd(7)} ${String(priority).padStart(4)}`,
  note: note ? `${status}: ${cleanLine(note)}` : status,
})

const fillOf = (index: number): string => FILLS[index % FILLS.length]!

/** Each part's cells, rounded so that the whole is as long as it should be. */
function bar(parts: readonly Part[], { target, used }: BudgetReport, cells: number): Line {
  const whole = parts.reduce((sum, { tokens }) => sum + tokens, 0)
  const scale = cells / Math.max(target, used, whole, 1)
  let drawn = 0
  let sum = 0
  const filled = parts.map(({ tokens }, index): Span => {
    sum += tokens
    const width = Math.round(sum * scale) - drawn
    drawn += width
    return { text: fillOf(index).repeat(width), tint: index }
  })
  return [...filled, { text: FREE.repeat(cells - drawn) }]
}

function legend(parts: readonly Part[], { target }: BudgetReport): readonly Line[] {
  const width = Math.max(0, ...parts.map(({ name }) => name.length))
  return parts.map(({ name, tokens, facts, note }, index) => [
    { text: fillOf(index), tint: index },
    {
      text: ` ${name.padEnd(width)} ${facts.padEnd(12)} ${String(tokens).padStart(7)} ${percent(tokens, target).padStart(6)}  ${note}`,
    },
  ])
}

function toolLines(tools: readonly PromptTool[]): readonly string[] {
  if (tools.length === 0) return ['no tools']
  const width = Math.max(...tools.map((tool) => tool.name.length))
  const lines = tools.map(
    (tool) => `  ${tool.name.padEnd(width)} ${String(tool.tokens).padStart(6)}  ${tool.form}`,
  )
  return [`tools: ${tools.length} (${rungs(tools)})`, ...lines]
}

const rungs = (tools: readonly PromptTool[]): string =>
  (['full', 'short', 'deferred'] as const)
    .map((rung) => ({ rung, count: tools.filter(({ form }) => form === rung).length }))
    .filter(({ count }) => count > 0)
    .map(({ rung, count }) => `${count} ${rung}`)
    .join(', ')

const percent = (part: number, whole: number): string =>
  whole > 0 ? `${((100 * part) / whole).toFixed(1)}%` : '–'
