import { type FilledBudget, fillBudget } from './budget.ts'
import { createComposeCache } from './compose-cache.ts'
import type { ComposedLayers, Layer } from './layers.ts'
import { type LuaEngine, type TokenCounter, WrapError } from './ports.ts'
import type { Prompt } from './prompt.ts'
import { runLayers } from './run-layers.ts'
import { priceTools } from './scope/rungs.ts'
import type { ModelProfile, Snapshot } from './snapshot.ts'
import { fullText } from './trim.ts'

/** The number of runs after which the tools are left out. */
const MAX_RUNS = 8
/** A limit above the limit for storing a script. */
const MAX_SCRIPT_CHARACTERS = 256 * 1024

/**
 * Runs the layers in Lua, then fits them into the budget, in the wrap process (wrap/lua). Equal snapshots
 * give equal prompts. `printed` gets the script's lines, even on failure. Throws `WrapError`. If the tools do
 * not fit, or leave too little for required layers, runs again with fewer tokens for tools: `share` is the
 * config's part of the target, `most` is the part that more important layers leave, and `allowance` is this
 * run's limit for choosing tools. `last` is true if no further run can help.
 */
export function composePrompt(
  snapshot: Snapshot,
  engine: LuaEngine,
  counter: TokenCounter,
  cache = createComposeCache(),
  printed: string[] = [],
): Prompt {
  checkScript(snapshot)
  const { message, tools, inTurn, model } = snapshot
  const pictures = snapshot.pictures?.reduce((sum, { tokens }) => sum + tokens, 0)
  const { framing } = model
  const known = cache(counter)
  const price = known.prices(framing)
  const limit = promptBudget(model)
  // After the first step, tools come before optional layers, so that tools and a provider's cache stay.
  const toolsFirst = (inTurn?.reserve ?? 0) > 0
  let most = tokensForTools(snapshot, limit, limit)
  let allowance = most
  for (let run = 1; ; run += 1) {
    const composed = runLayers(engine, { snapshot, target: limit, counter, price, allowance, printed }, known)
    const target = Math.min(limit, composed.target)
    const share = tokensForTools(snapshot, target, limit)
    const cap = Math.min(most, share)
    const layer = composed.layers.find((one) => one.tools)
    const selection = layer?.tools
    const last = Math.min(cap, allowance) <= 0 || (selection?.cheapest ?? false)
    const priced =
      selection &&
      known.pricedTools(selection, JSON.stringify([cap, share, last, framing]), () =>
        priceTools(tools, selection.chosen, { cap, share, last, framing, counter, price }),
      )
    const filled = fillBudget(composed.layers, priced, {
      target,
      message,
      framing,
      counter,
      toolsFirst,
      ...(pictures ? { pictures } : {}),
    })
    if ('sums' in filled) return promptOf(snapshot, filled, target, limit, composed)
    // Tries slightly fewer tokens, because joined texts may have a token or two more than apart.
    most = run < MAX_RUNS ? Math.max(0, Math.min(most, filled.toolTokens)) : 0
    const forChoice = most - addedTokens(layer, counter)
    allowance = Math.max(0, forChoice < allowance ? forChoice : Math.floor(allowance * 0.9))
  }
}

/** Returns the tokens, in our count, of a prompt that leaves space in the window for the answer. */
export function promptBudget({ contextWindow, maxOutput, calibration }: ModelProfile): number {
  const factor = Number.isFinite(calibration) ? Math.max(1, calibration) : 1
  return Math.max(0, Math.floor((contextWindow - maxOutput) / factor))
}

function checkScript({ script }: Snapshot): void {
  const size = script?.source.length ?? 0
  if (size <= MAX_SCRIPT_CHARACTERS) return
  throw new WrapError(
    'argument',
    `wrap: the script has ${size} characters, at most ${MAX_SCRIPT_CHARACTERS} are taken`,
  )
}

/** Returns the tokens for tools, equal in each step of a turn, so that tools do not come and go. */
function tokensForTools(
  { toolsShare, toolsTokens = Infinity, inTurn }: Snapshot,
  target: number,
  limit: number,
): number {
  const whole = target < limit ? target : limit + (inTurn?.reserve ?? 0)
  return Math.min(Math.floor(whole * toolsShare), toolsTokens)
}

/** Returns the tokens that a script has added to the text that the tools were chosen with. */
const addedTokens = (layer: Layer | undefined, counter: TokenCounter): number =>
  layer?.tools ? Math.max(0, counter.count(fullText(layer)) - counter.count(layer.tools.text)) : 0

function promptOf(
  { model, message, pictures }: Snapshot,
  { sums, layers, tools, system, context, stablePrefix }: FilledBudget,
  target: number,
  limit: number,
  composed: ComposedLayers,
): Prompt {
  const { encoding, contextWindow: window, maxOutput: reserved_output } = model
  const { pictures: seen, ...texts } = sums
  const used = sums.system + sums.context + sums.message + sums.tools + sums.framing + seen
  const budget = { window, reserved_output, target, used, ...texts, ...(seen > 0 ? { pictures: seen } : {}) }
  const warnings = [...composed.warnings]
  if (composed.target > limit)
    warnings.push(`the script asks for ${composed.target} tokens; this model has room for ${limit}`)
  const carrier = composed.layers.find((layer) => layer.tools)
  const report = carrier && layers.find(({ name }) => name === carrier.name)
  if (report?.status === 'dropped') warnings.push(`no tools are sent: layer "${report.name}" ${report.note}`)
  const hasDeferred = tools.some(({ form }) => form === 'deferred')
  const findable = hasDeferred ? { findable: carrier?.tools?.findable ?? 0 } : {}
  const sent = { system, context, stablePrefix, message, ...(pictures ? { pictures } : {}) }
  return { encoding, budget, layers, tools, ...sent, warnings, ...findable }
}
