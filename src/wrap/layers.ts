import { isJsonList, isJsonObject, type Json, type JsonObject } from '../base/json.ts'
import type { EntryText } from './entry-texts.ts'
import { type TokenCounter, WrapError } from './ports.ts'
import type { ToolForm } from './prompt.ts'
import type { Snapshot } from './snapshot.ts'
import type { Pricer } from './scope/tool-definitions.ts'

/** How a layer that does not fit is trimmed; `oldest` keeps its newest entries. */
export type Trim = 'none' | 'head' | 'tail' | 'oldest'

export interface Layer {
  readonly name: string
  /** Lower is more important. */
  readonly priority: number
  readonly text: string
  readonly system: boolean
  /** True for a layer at the context's end, because its text changes from request to request. */
  readonly late?: true
  readonly required: boolean
  readonly trim: Trim
  /** Precedes the text and is never trimmed; may be empty. */
  readonly heading: string
  /** Includes the heading; absent if only the budget limits the layer. */
  readonly maxTokens?: number
  readonly tools?: Selection
  /** The text's entries, if the host created the text. */
  readonly entries?: readonly EntryText[]
}

/** Ids of all callable tools, aliases included, by the form for which the layer's text was written. */
export type ChosenTools = Readonly<Record<ToolForm, readonly string[]>>

/** The choice of `tools.select_tools` for a layer. Its text is empty if there are no tools. */
export interface Selection {
  readonly chosen: ChosenTools
  readonly text: string
  /** True if no selection has fewer tokens. */
  readonly cheapest: boolean
  /** Tokens for definitions that `find_tools` loads later. */
  readonly findable: number
}

export interface LayerFacts {
  readonly snapshot: Snapshot
  readonly target: number
  readonly counter: TokenCounter
  readonly price: Pricer
  /** The tokens that tools and their layer's text may have together. */
  readonly allowance: number
  /** Gets the lines that the script prints in this run. */
  readonly printed: string[]
}

export interface ComposedLayers {
  /** The tokens that the script asked for, possibly more than available. */
  readonly target: number
  readonly layers: readonly Layer[]
  readonly warnings: readonly string[]
}

const MIN_OUTPUT_BYTES = 256 * 1024
/** English has about five bytes a token; quoting may double them. */
const OUTPUT_BYTES_PER_TOKEN = 24

export const outputLimit = (target: number): number =>
  Math.max(MIN_OUTPUT_BYTES, target * OUTPUT_BYTES_PER_TOKEN)

/** The limit of the conversation's bytes for layers: even quoted, it stays below `outputLimit`. */
export const conversationLimit = (target: number): number => Math.floor(outputLimit(target) / 3)

/** Puts late layers last: all requests of a room begin the same, so that a provider's cache stays valid. */
export const inTextOrder = (layers: readonly Layer[]): readonly Layer[] =>
  layers.toSorted((a, b) => Number(a.late ?? false) - Number(b.late ?? false))

/** Must equal the limit in lua/wrap.lua. */
const MAX_LAYERS = 200

/** Items that Lua names by numbers, from 1. */
interface Numbered {
  readonly selections: readonly Selection[]
  readonly unread: readonly string[]
}

/** Throws `WrapError('script')`. */
export function readLayers(value: Json, numbered: Numbered): ComposedLayers {
  const composed = object(value, 'the draft')
  const layers = list(composed['layers']).map((layer) => readLayer(object(layer, 'a layer'), numbered))
  if (layers.length > MAX_LAYERS) refuse(`there are ${layers.length} layers, at most ${MAX_LAYERS} are taken`)
  if (layers.filter((layer) => layer.tools).length > 1) refuse('only one layer can carry tools')
  return { target: number(composed['target']), layers, warnings: list(composed['warnings']).map(text) }
}

function readLayer(layer: JsonObject, { selections, unread }: Numbered): Layer {
  const { tools, trim, conversation, max_tokens: maxTokens } = layer
  if (trim !== 'none' && trim !== 'head' && trim !== 'tail' && trim !== 'oldest')
    return refuse('the trim of a layer is not none, head, tail or oldest')
  return {
    name: text(layer['name']),
    priority: number(layer['priority']),
    text: text(typeof conversation === 'number' ? unread[conversation - 1] : layer['text']),
    system: layer['system'] === true,
    ...(layer['late'] === true ? { late: true } : {}),
    required: layer['required'] === true,
    trim,
    heading: text(layer['heading']),
    ...(maxTokens === undefined ? {} : { maxTokens: number(maxTokens) }),
    ...(tools === undefined ? {} : { tools: selectionAt(selections, tools) }),
  }
}

export const selectionAt = (selections: readonly Selection[], place: Json): Selection =>
  (typeof place === 'number' ? selections[place - 1] : undefined) ??
  refuse('the tools must be what tools.select_tools chose')

const object = (value: Json, what: string): JsonObject =>
  isJsonObject(value) ? value : refuse(`${what} is not of the form that wrap() gives`)

const list = (value: Json | undefined): readonly Json[] =>
  isJsonList(value) ? value : refuse('a list is not of the form that wrap() gives')

const text = (value: Json | undefined): string =>
  typeof value === 'string' ? value : refuse('a text is not of the form that wrap() gives')

const number = (value: Json | undefined): number =>
  typeof value === 'number' ? value : refuse('a number is not of the form that wrap() gives')

function refuse(problem: string): never {
  throw new WrapError('script', `wrap: ${problem}`)
}
