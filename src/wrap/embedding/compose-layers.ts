// Fits layers that a program gives as functions into the same budget as Lua layers. Starts no process.
import type { Json, JsonObject, JsonSchema } from '../../base/json.ts'
import type { Access } from '../../words/tool-words.ts'
import { composePrompt, promptBudget } from '../compose-prompt.ts'
import type { Trim } from '../layers.ts'
import { type LuaJob, type TokenCounter, WrapError } from '../ports.ts'
import type { Prompt, ToolForm } from '../prompt.ts'
import type { Snapshot } from '../snapshot.ts'
import { createTokenCounters, type TokenCounters } from '../tokens/tiktoken.ts'

export interface ProgramLayer {
  readonly name: string
  /** Decides which layer gets tokens first; lower is more important. Default: 50. */
  readonly priority?: number
  /** Default: `system`. Layers of one placement appear in the order of the list. */
  readonly placement?: 'system' | 'context'
  /**
   * A layer with an empty text is left out. A function is called again if the tools do not fit. Default: the
   * names and first sentences of the layer's tools.
   */
  readonly text?: string | ((view: LayerView) => string)
  /** True if the prompt fails without the whole layer. */
  readonly required?: boolean
  /** What is kept if the layer does not fit; default: `none`. `oldest` drops the oldest entries. */
  readonly trim?: Trim
  /** Precedes the text and is never trimmed. */
  readonly heading?: string
  /** Includes the heading. */
  readonly maxTokens?: number
  /** A scope. Definitions of these tools are sent with the layer; one layer of a prompt can have tools. */
  readonly tools?: 'all' | 'none' | readonly string[]
}

/** What the text of a layer can be written from. */
export interface LayerView {
  readonly snapshot: Snapshot
  /** Tokens of all that is sent. */
  readonly target: number
  /** The layer's tools in the forms that fit; [] for a layer without tools. */
  readonly tools: readonly OfferedTool[]
  /** Returns the text's tokens. */
  count(text: string): number
}

/** A tool as it is sent. A deferred tool has no definition in the request: `find_tools` describes it. */
export interface OfferedTool {
  readonly id: string
  readonly name: string
  readonly description: string
  readonly schema: JsonSchema
  readonly source: string
  readonly access: Access
  readonly form: ToolForm
  /** Tokens of its definition. */
  readonly tokens: number
}

/**
 * Fits layers into the snapshot's budget, as `composePrompt` does for a script. Loads the tokenizer's tables
 * unless `counters` are given. Throws `WrapError`, and what a layer's function throws.
 */
export function composeLayers(
  layers: readonly ProgramLayer[],
  snapshot: Snapshot,
  counters?: Pick<TokenCounters, 'of'>,
): Prompt {
  if (counters) return compose(layers, snapshot, counters.of(snapshot.model.encoding))
  const own = createTokenCounters()
  try {
    return compose(layers, snapshot, own.of(snapshot.model.encoding))
  } finally {
    own.close()
  }
}

function compose(layers: readonly ProgramLayer[], snapshot: Snapshot, counter: TokenCounter): Prompt {
  const target = promptBudget(snapshot.model)
  const view = { snapshot, target, tools: [], count: (text: string) => counter.count(text) }
  layers.forEach(checkLayer)
  const run = ({ host }: LuaJob): Json => ({
    target,
    layers: layers.flatMap((layer) => draftOf(layer, view, host)),
    warnings: [],
  })
  return composePrompt(snapshot, { run, close() {} }, counter)
}

/** Texts around the lines of tools; each ends with a line break. */
const TOOL_WORDS = {
  loaded: 'Your functions:\n\n',
  deferred: '\nNot loaded; call find_tools with a few words about what you need:\n\n',
  more: '- … and %d more, which find_tools knows\n',
}

/** Returns the layer in a script's form, or an empty list for a layer without text and tools. */
function draftOf(layer: ProgramLayer, view: LayerView, host: LuaJob['host']): readonly JsonObject[] {
  const { name, priority = 50, placement = 'system', required = false, trim = 'none' } = layer
  const { heading = '', maxTokens, tools } = layer
  const words = layer.text === undefined ? TOOL_WORDS : {}
  const chosen = tools === undefined ? undefined : host('select_tools', { scope: tools, words })
  const selected = chosen === undefined ? [] : host('selected_tools', chosen)
  const offered = selected as unknown as readonly OfferedTool[]
  if (chosen !== undefined && offered.length === 0) return []
  const text = textOf(layer, { ...view, tools: offered }, host)
  if (text === '' && chosen === undefined) return []
  return [
    {
      name,
      priority,
      system: placement === 'system',
      required,
      trim,
      text,
      heading: text === '' ? '' : heading,
      ...(maxTokens === undefined ? {} : { max_tokens: maxTokens }),
      ...(chosen === undefined ? {} : { tools: chosen }),
    },
  ]
}

function textOf({ name, text, tools }: ProgramLayer, view: LayerView, host: LuaJob['host']): string {
  const isListed = text === undefined && tools !== undefined
  const given: unknown = isListed
    ? host('selected_text', null)
    : typeof text === 'function'
      ? text(view)
      : text
  if (typeof given === 'string') return given
  throw new WrapError('argument', `wrap: layer "${name}": text must be a string, got ${typeof given}`)
}

function checkLayer({ name, priority = 50, maxTokens = 0 }: ProgramLayer): void {
  if (Number.isFinite(priority) && Number.isSafeInteger(maxTokens) && maxTokens >= 0) return
  const problem = 'priority must be a number, and maxTokens a whole number, 0 or more'
  throw new WrapError('argument', `wrap: layer "${name}": ${problem}`)
}
