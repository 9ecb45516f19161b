import { WrapError } from './ports.ts'
import type { ToolForm } from './prompt.ts'
import type { Json, JsonObject } from '../lib/json.ts'

/** How a layer that does not fit is cut: not at all, keeping that end, or keeping its newest entries. */
export type Trim = 'none' | 'head' | 'tail' | 'oldest'

/** A layer as Lua made it, before the budget. */
export interface DraftLayer {
  readonly name: string
  /** Lower is more important. */
  readonly priority: number
  readonly text: string
  readonly system: boolean
  readonly required: boolean
  readonly trim: Trim
  /** Stands before the text and is never cut off it; may be empty. */
  readonly heading: string
  /** The tools whose definitions go with this layer, and the form its text was made for. */
  readonly tools?: { readonly form: ToolForm; readonly ids: readonly string[] }
}

/** What lua/compose.lua returns: the layers in the order of the text. */
export interface Draft {
  /** Tokens, as the script asked for. */
  readonly target: number
  readonly layers: readonly DraftLayer[]
  readonly warnings: readonly string[]
}

/** As in lua/wrap.lua, which tells of it with the line. */
const mostLayers = 200

/** Reads what came from Lua. Throws `WrapError('script')` for anything that lua/wrap.lua would not have made. */
export function readDraft(value: Json): Draft {
  const draft = object(value, 'the draft')
  const layers = list(draft['layers']).map((layer) => readLayer(object(layer, 'a layer')))
  if (layers.length > mostLayers) {
    throw new WrapError('script', `wrap: there are ${layers.length} layers, at most ${mostLayers} are taken`)
  }
  if (layers.filter((layer) => layer.tools !== undefined).length > 1) {
    throw new WrapError('script', 'wrap: only one layer can carry tools')
  }
  return { target: number(draft['target']), layers, warnings: list(draft['warnings']).map(text) }
}

function readLayer(layer: JsonObject): DraftLayer {
  const tools = layer['tools']
  return {
    name: text(layer['name']),
    priority: number(layer['priority']),
    text: text(layer['text']),
    system: layer['system'] === true,
    required: layer['required'] === true,
    trim: trim(layer['trim']),
    heading: text(layer['heading']),
    ...(tools === undefined ? {} : { tools: readTools(object(tools, 'the option tools')) }),
  }
}

function readTools({ form, ids }: JsonObject): DraftLayer['tools'] {
  if (form !== 'full' && form !== 'short' && form !== 'deferred') {
    throw new WrapError('script', 'wrap: the form of tools must be "full", "short" or "deferred"')
  }
  if (!list(ids).every((id) => typeof id === 'string')) {
    throw new WrapError('script', 'wrap: the ids of tools must be a list of texts')
  }
  return { form, ids: list(ids) as readonly string[] }
}

function trim(value: Json | undefined): Trim {
  if (value === 'none' || value === 'head' || value === 'tail' || value === 'oldest') return value
  throw new WrapError('script', 'wrap: the rule for cutting a layer is not what wrap() gives')
}

function object(value: Json | undefined, what: string): JsonObject {
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as JsonObject
  throw new WrapError('script', `wrap: ${what} is not what wrap() gives`)
}

function list(value: Json | undefined): readonly Json[] {
  if (Array.isArray(value)) return value as readonly Json[]
  throw new WrapError('script', 'wrap: a list is not what wrap() gives')
}

function text(value: Json | undefined): string {
  if (typeof value === 'string') return value
  throw new WrapError('script', 'wrap: a text is not what wrap() gives')
}

function number(value: Json | undefined): number {
  if (typeof value === 'number') return value
  throw new WrapError('script', 'wrap: a number is not what wrap() gives')
}
