import { type Filled, fillBudget, type ToolOffer } from './budget.ts'
import { definitionTokens } from './definitions.ts'
import { type Draft, readDraft } from './draft.ts'
import { findToolsDefinition } from './find-tools.ts'
import type { Framing } from './framing.ts'
import { createHost, forms } from './host.ts'
import { luaData } from './lua-data.ts'
import { type LuaEngine, type TokenCounter, WrapError } from './ports.ts'
import { createPriceList, type Pricer } from './price-list.ts'
import { conversationLimit, outputLimit } from './output-limit.ts'
import type { Prompt, PromptTool, ToolForm } from './prompt.ts'
import type { ModelProfile, Snapshot } from './snapshot.ts'

/** Characters of a room's script. */
const longestScript = 256 * 1024

/**
 * What the model reads: runs the layers in Lua, then gives them the budget. Pure: the same snapshot gives the
 * same prompt. Where the tools are too dear they are offered in a cheaper form, and the layers run again.
 * Whoever composes more than once hands in a price list, which only saves work. Throws `WrapError`.
 */
export function composePrompt(
  snapshot: Snapshot,
  engine: LuaEngine,
  counter: TokenCounter,
  prices = createPriceList(),
): Prompt {
  checkScript(snapshot)
  const price = prices(snapshot.model.framing, counter)
  const limit = targetOf(snapshot.model)
  for (let floor: ToolForm | undefined = 'full'; floor !== undefined;) {
    const host = createHost(snapshot, counter, price, {
      floor,
      cap: Math.floor(limit * snapshot.toolsShare),
      historyBytes: conversationLimit(limit),
    })
    const draft = readDraft(
      engine.run({
        ...(snapshot.script === undefined ? {} : { script: snapshot.script.source }),
        data: luaData(snapshot, limit),
        host: host.answer,
        maxOutput: outputLimit(limit),
      }),
    )
    const target = Math.min(limit, draft.target)
    const form = cheaper(floor, toolsOf(draft)?.form ?? floor)
    const filled = fillBudget(draft.layers, offerOf(snapshot, draft, form, { target, counter, price }), {
      target,
      message: snapshot.message,
      framing: snapshot.model.framing,
      counter,
    })
    if (filled !== 'tools-too-dear') {
      return promptOf(snapshot, filled, target, [
        ...draft.warnings,
        ...host.warnings,
        ...notes(draft, limit, filled),
      ])
    }
    floor = forms[forms.indexOf(form) + 1]
  }
  throw new Error('the last form of tools is never too dear')
}

function checkScript({ script }: Snapshot): void {
  const size = script?.source.length ?? 0
  if (size <= longestScript) return
  throw new WrapError(
    'argument',
    `wrap: the script has ${size} characters, at most ${longestScript} are taken`,
  )
}

/** Tokens that a prompt may have, in our count: what the provider will count for them is the window less the answer. */
export function targetOf({ contextWindow, maxOutput, calibration }: ModelProfile): number {
  const factor = Number.isFinite(calibration) && calibration > 0 ? calibration : 1
  return Math.max(0, Math.floor((contextWindow - maxOutput) / factor))
}

const toolsOf = (draft: Draft): { readonly form: ToolForm; readonly ids: readonly string[] } | undefined =>
  draft.layers.find((layer) => layer.tools)?.tools

const cheaper = (a: ToolForm, b: ToolForm): ToolForm => (forms.indexOf(a) > forms.indexOf(b) ? a : b)

/** Only tools of the snapshot are ever sent, whatever a script names. */
function offerOf(
  { tools, model, toolsShare }: Snapshot,
  draft: Draft,
  form: ToolForm,
  {
    target,
    counter,
    price,
  }: { readonly target: number; readonly counter: TokenCounter; readonly price: Pricer },
): ToolOffer | undefined {
  const wanted = toolsOf(draft)
  if (!wanted) return undefined
  const ids = new Set(wanted.ids)
  const chosen = tools.filter((tool) => ids.has(tool.id))
  if (chosen.length === 0) return undefined
  const priced = chosen.map((tool) => price(tool, form).sent)
  return {
    tools: form === 'deferred' ? [...priced, finder(model.framing, counter)] : priced,
    cap: Math.floor(target * toolsShare),
    last: form === 'deferred',
  }
}

const finder = (framing: Framing, counter: TokenCounter): PromptTool => ({
  id: findToolsDefinition.name,
  name: findToolsDefinition.name,
  form: 'full',
  tokens: definitionTokens(findToolsDefinition, framing, counter),
  definition: findToolsDefinition,
})

function notes(draft: Draft, limit: number, filled: Filled): readonly string[] {
  const notes: string[] = []
  if (draft.target > limit)
    notes.push(`the script asks for ${draft.target} tokens; this model has room for ${limit}`)
  const tools = draft.layers.findIndex((layer) => layer.tools)
  const report = filled.layers[tools]
  if (report?.status === 'dropped') notes.push(`no tools are sent: layer "${report.name}" ${report.note}`)
  return notes
}

function promptOf(snapshot: Snapshot, filled: Filled, target: number, warnings: readonly string[]): Prompt {
  const { model } = snapshot
  const { system, context, message, tools, framing } = filled.sums
  return {
    encoding: model.encoding,
    budget: {
      window: model.contextWindow,
      reserved_output: model.maxOutput,
      target,
      used: system + context + message + tools + framing,
      system,
      context,
      message,
      tools,
      framing,
    },
    layers: filled.layers,
    tools: filled.tools,
    system: filled.system,
    context: filled.context,
    message: snapshot.message,
    warnings,
  }
}
