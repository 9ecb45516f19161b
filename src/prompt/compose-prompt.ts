import { type FilledBudget, fillBudget } from './budget.ts'
import type { ComposedLayers, Layer } from './layers.ts'
import { type LuaEngine, type TokenCounter, WrapError } from './ports.ts'
import { createComposeCache } from './compose-cache.ts'
import type { Prompt } from './prompt.ts'
import { runLayers } from './run-layers.ts'
import type { ModelProfile, Snapshot } from './snapshot.ts'
import { offerTools } from './tool-offer.ts'
import { fullText } from './trim.ts'

/*
 * Tokens of tools have several names here and in budget.ts:
 *
 * allowance  what this run of the layers may choose tools for, with the text of the bundled layer; each
 *            further run has less
 * share      what tools may have at most: the config's part of the target (`shareOf`)
 * most       what is left of that by layers that are required or more important
 * cap        the smaller of both: what definitions and the text of their layer may have together
 * cheapest   says that the layer chose the least that it can: even that may be more than its allowance
 * last       says that no further run can help: where the tools do not fit now, they are left out
 */

/** Runs of the layers with ever fewer tokens for tools. After these they are left out. */
const MAX_RUNS = 8

/**
 * What the model reads: runs the layers in Lua, then gives them the budget. Pure: the same snapshot gives the same
 * prompt. If the tools do not fit, or leave too little for required layers, the layers run again with fewer tokens for
 * tools. `cache` only saves work. `printed` gets what the script prints, also if it fails. Throws `WrapError`.
 */
export function composePrompt(
  snapshot: Snapshot,
  engine: LuaEngine,
  counter: TokenCounter,
  cache = createComposeCache(),
  printed: string[] = [],
): Prompt {
  checkScript(snapshot)
  const { framing } = snapshot.model
  const known = cache(counter)
  const price = known.prices(framing)
  const limit = promptBudget(snapshot.model)
  let most = shareOf(snapshot, limit, limit)
  let allowance = most
  for (let run = 1; ; run += 1) {
    const composed = runLayers(engine, { snapshot, target: limit, counter, price, allowance, printed }, known)
    const target = Math.min(limit, composed.target)
    const share = shareOf(snapshot, target, limit)
    const cap = Math.min(most, share)
    const layer = composed.layers.find(({ tools }) => tools)
    const selection = layer?.tools
    const last = Math.min(cap, allowance) <= 0 || (selection?.cheapest ?? false)
    const offer =
      selection &&
      known.offers(selection, JSON.stringify([cap, share, last, framing]), () =>
        offerTools(snapshot.tools, selection.chosen, { cap, share, last, framing, counter, price }),
      )
    const terms = { target, message: snapshot.message, framing, counter, toolsFirst: isUnderWay(snapshot) }
    const filled = fillBudget(composed.layers, offer, terms)
    if ('sums' in filled)
      return promptOf(snapshot, filled, target, {
        warnings: warningsOf(composed, limit, filled),
        findable: selection?.findable,
      })
    // Texts that meet may take a token or two more than they do one by one: then a little less is tried.
    most = run < MAX_RUNS ? Math.max(0, Math.min(most, filled.toolTokens)) : 0
    const forChoice = most - longerBy(layer, counter)
    allowance = Math.max(0, forChoice < allowance ? forChoice : Math.floor(allowance * 0.9))
  }
}

/** Tokens by which a script's own text of the tools is longer than the text that they were chosen with. */
function longerBy(layer: Layer | undefined, counter: TokenCounter): number {
  if (!layer?.tools) return 0
  return Math.max(0, counter.count(fullText(layer)) - counter.count(layer.tools.text))
}

/** Tokens that tools may have. Within a turn this does not shrink with each step, so that tools do not come and go. */
function shareOf(
  { toolsShare, toolsTokens = Infinity, inTurn }: Snapshot,
  target: number,
  limit: number,
): number {
  const whole = target < limit ? target : limit + (inTurn?.reserve ?? 0)
  return Math.min(Math.floor(whole * toolsShare), toolsTokens)
}

/**
 * Once a turn has made a step, its tools are kept before other text: what its steps take is not taken from its tools first,
 * and a provider's cache of the tools stays valid.
 */
const isUnderWay = ({ inTurn }: Snapshot): boolean => (inTurn?.reserve ?? 0) > 0

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
export function promptBudget({ contextWindow, maxOutput, calibration }: ModelProfile): number {
  const factor = Number.isFinite(calibration) ? Math.max(1, calibration) : 1
  return Math.max(0, Math.floor((contextWindow - maxOutput) / factor))
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
  { warnings, findable = 0 }: { readonly warnings: readonly string[]; readonly findable: number | undefined },
): Prompt {
  const hasDeferred = tools.some(({ form }) => form === 'deferred')
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
    ...(hasDeferred ? { findable } : {}),
  }
}
