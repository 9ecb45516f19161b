import type { BudgetReport, LayerReport, Prompt, PromptTool } from '../wrap/prompt.ts'

/** Each layer's fill, in turn: they differ without any colour. */
const FILLS = ['█', '▓', '▒', '░', '▚', '▞', '▙', '▟', '#', '=', '+', '-']
const FREE = '·'

/** A prompt for people: the budget as one stacked bar, a line a layer, a line a tool. */
export function wrapChart(model: string, prompt: Prompt, columns: number): string {
  const { budget, layers, tools } = prompt
  return [
    `@${model}: ${budget.used} of ${budget.target} tokens (${percent(budget.used, budget.target)}), ${prompt.encoding}`,
    bar(layers, budget, columns),
    ...layers.map((layer, index) => layerLine(layer, FILLS[index % FILLS.length]!, budget)),
    `${FREE} free ${budget.target - budget.used}; ${budget.reserved_output} more are kept for the answer, of ${budget.window}`,
    ...toolLines(tools),
    ...prompt.warnings.map((warning) => `! ${warning}`),
  ].join('\n')
}

function bar(layers: readonly LayerReport[], { target, used }: BudgetReport, columns: number): string {
  const cells = Math.max(10, Math.min(columns, 200) - 1)
  const scale = cells / Math.max(target, used, 1)
  let drawn = 0
  let sum = 0
  const filled = layers.map(({ tokens }, index) => {
    sum += tokens
    const until = Math.round(sum * scale)
    const width = Math.max(0, Math.min(until, cells) - drawn)
    drawn += width
    return FILLS[index % FILLS.length]!.repeat(width)
  })
  return filled.join('') + FREE.repeat(cells - drawn)
}

function layerLine(layer: LayerReport, fill: string, { target }: BudgetReport): string {
  const facts = `${String(layer.tokens).padStart(7)} ${percent(layer.tokens, target).padStart(6)}`
  const where = `${layer.placement.padEnd(7)} ${String(layer.priority).padStart(4)}`
  const note = layer.note ? `: ${layer.note}` : ''
  return `${fill} ${layer.name.padEnd(16)} ${where} ${facts}  ${layer.status}${note}`
}

function toolLines(tools: readonly PromptTool[]): string[] {
  if (tools.length === 0) return ['no tools']
  const width = Math.max(...tools.map((tool) => tool.name.length))
  const lines = tools.map(
    (tool) => `  ${tool.name.padEnd(width)} ${String(tool.tokens).padStart(6)}  ${tool.form}`,
  )
  return [`tools: ${tools.length}`, ...lines]
}

const percent = (part: number, whole: number): string =>
  whole > 0 ? `${((100 * part) / whole).toFixed(1)}%` : '–'
