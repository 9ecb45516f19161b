import { type FilledBudget, fillBudget } from './budget.ts'
import type { ComposedLayers } from './layers.ts'
import { type LuaEngine, type TokenCounter, WrapError } from './ports.ts'
import { createPriceList } from './price-list.ts'
import type { Prompt, ToolForm } from './prompt.ts'
import { runLayers } from './run-layers.ts'
import { eachOnce, type OfferedTool } from './each-once.ts'
import type { ModelProfile, Snapshot } from './snapshot.ts'
import { cheaperOf, nextCheaper, offerTools } from './tool-offer.ts'

/**
 * What the model reads: runs the layers in Lua, then gives them the budget. Pure: the same snapshot gives the
 * same prompt. Where the tools cost too much they are offered in a cheaper form, and the layers run again.
 * Whoever composes more than once hands in a price list, which only saves work. Throws `WrapError`.
 */
export function composePrompt(
  snapshot: Snapshot,
  engine: LuaEngine,
  counter: TokenCounter,
  prices = createPriceList(),
): Prompt {
  checkScript(snapshot)
  const { framing } = snapshot.model
  const price = prices(framing, counter)
  const limit = targetOf(snapshot.model)
  for (let firstForm: ToolForm | undefined = 'full'; firstForm !== undefined;) {
    const composed = runLayers(engine, { snapshot, target: limit, counter, price, firstForm })
    const target = Math.min(limit, composed.target)
    const chosen = composed.layers.find((layer) => layer.tools)?.tools
    const form = cheaperOf(firstForm, chosen?.form ?? firstForm)
    const cap = Math.floor(target * snapshot.toolsShare)
    const offer = offerTools(toolsWith(snapshot, chosen?.ids), { form, cap, framing, counter, price })
    const terms = { target, message: snapshot.message, framing, counter }
    const filled = fillBudget(composed.layers, offer, terms)
    if (filled !== 'needs-cheaper-tools')
      return promptOf(snapshot, filled, target, warningsOf(composed, limit, filled))
    firstForm = nextCheaper(form)
  }
  throw new Error('the cheapest form of tools never needs a cheaper one')
}

/** Characters of a room's script; storing one has a lower limit. */
const MAX_SCRIPT_CHARACTERS = 256 * 1024

function checkScript({ script }: Snapshot): void {
  const size = script?.source.length ?? 0
  if (size <= MAX_SCRIPT_CHARACTERS) return
  throw new WrapError(
    'argument',
    `wrap: the script has ${size} characters, at most ${MAX_SCRIPT_CHARACTERS} are taken`,
  )
}

/**
 * Tokens that a prompt may have, in our count: what the provider counts for them is the window less the answer. Whatever
 * was learned, the target and the answer together are never over the window.
 */
export function targetOf({ contextWindow, maxOutput, calibration }: ModelProfile): number {
  const factor = Number.isFinite(calibration) ? Math.max(1, calibration) : 1
  return Math.max(0, Math.floor((contextWindow - maxOutput) / factor))
}

/** Only tools of the snapshot are ever sent, whatever a script names, and each function once. */
function toolsWith({ tools }: Snapshot, ids: readonly string[] = []): readonly OfferedTool[] {
  const chosen = new Set(ids)
  return eachOnce(tools.filter((tool) => chosen.has(tool.id))).offered
}

function warningsOf(composed: ComposedLayers, limit: number, filled: FilledBudget): readonly string[] {
  const warnings = [...composed.warnings]
  if (composed.target > limit)
    warnings.push(`the script asks for ${composed.target} tokens; this model has room for ${limit}`)
  const report = filled.layers[composed.layers.findIndex((layer) => layer.tools)]
  if (report?.status === 'dropped') warnings.push(`no tools are sent: layer "${report.name}" ${report.note}`)
  return warnings
}

function promptOf(
  { model, message }: Snapshot,
  { sums, layers, tools, system, context }: FilledBudget,
  target: number,
  warnings: readonly string[],
): Prompt {
  const { encoding, contextWindow: window, maxOutput: reserved_output } = model
  const used = sums.system + sums.context + sums.message + sums.tools + sums.framing
  return {
    encoding,
    budget: { window, reserved_output, target, used, ...sums },
    layers,
    tools,
    system,
    context,
    message,
    warnings,
  }
}
