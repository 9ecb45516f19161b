import {
  cleanJson,
  isTooDeep,
  MAX_JSON_DEPTH,
  isJsonObject,
  type Json,
  type JsonObject,
  stableJson,
} from '../../base/json.ts'
import { cleanText } from '../../base/text/clean-text.ts'

export interface ToolCall {
  /** Unique within the turn. */
  readonly id: string
  readonly name: string
  /** The arguments as the model wrote them; see `parseArguments`. */
  readonly arguments: string
  /** For the next request: Gemini's thought signatures. */
  readonly providerData?: JsonObject
}

/** `value` is sanitized. `original` is as written, for parameters such as the text of a file. */
export type ParsedArguments =
  | { readonly ok: true; readonly value: JsonObject; readonly original: JsonObject }
  | { readonly ok: false; readonly error: string }

const MAX_ARGUMENTS_CHARS = 256 * 1024

/**
 * Takes an object, its JSON, a JSON string of that JSON, or a blank text, which some servers send for tools
 * without parameters. The error tells a model what to change.
 */
export function parseArguments(given: unknown): ParsedArguments {
  const text = typeof given === 'string' ? given : writeJson(given)
  if (text instanceof Error) return invalid(`the arguments cannot be written as JSON (${reason(text)})`)
  if (text.length > MAX_ARGUMENTS_CHARS)
    return invalid(`the arguments are longer than ${MAX_ARGUMENTS_CHARS} characters`)
  if (text.trim() === '') return { ok: true, value: {}, original: {} }
  const once = parseJson(text)
  const value = typeof once === 'string' ? parseJson(once) : once
  if (value instanceof Error)
    return invalid(`the arguments are not valid JSON (${reason(value)}); send one JSON object`)
  if (!isJsonObject(value)) return invalid(`the arguments must be a JSON object, got ${kindOf(value)}`)
  if (isTooDeep(value)) return invalid(`the arguments are nested more than ${MAX_JSON_DEPTH} deep`)
  return { ok: true, value: cleanJson(value), original: value }
}

/** Returns sanitized arguments, except that `verbatim` parameters are as written. */
export function argumentsFor(
  { value, original }: ParsedArguments & { ok: true },
  verbatim: readonly string[] = [],
): JsonObject {
  const asWritten = Object.entries(original).filter(([name]) => verbatim.includes(name))
  return { ...value, ...Object.fromEntries(asWritten) }
}

/** Removes white space around a name, and a chat template's marks after it: `grep<|channel|>commentary`. */
export const withoutMarks = (name: string): string => (name.split('<|', 1)[0] ?? '').trim()

/** Shortens a name, and replaces characters with which an invented name could pass for a sentence. */
export const cleanName = (name: string): string =>
  cleanText(withoutMarks(name).slice(0, MAX_NAME_CHARS)).replace(/[^\p{L}\p{N}\p{M}_.-]+/gu, '_')

const invalid = (error: string): ParsedArguments => ({ ok: false, error })

function writeJson(value: unknown): string | Error {
  try {
    return JSON.stringify(value) ?? ''
  } catch (error) {
    if (error instanceof TypeError) return error
    throw error
  }
}

function parseJson(text: string): Json | Error {
  try {
    return JSON.parse(text) as Json
  } catch (error) {
    if (error instanceof SyntaxError) return error
    throw error
  }
}

const reason = (error: Error): string => cleanText(error.message).slice(0, 200)

function kindOf(value: Json): string {
  if (value === null) return 'null'
  return Array.isArray(value) ? 'an array' : `a ${typeof value}`
}

/** Gives the calls of a step unique ids, or a reason to stop the turn. */
export type CallCheck = (calls: readonly ToolCall[]) => {
  readonly calls: readonly ToolCall[]
  readonly halt?: string
}

/** The number of calls with equal arguments after which a turn is stopped: the model repeats itself. */
const MAX_SAME_CALLS = 3

export const MAX_CALLS_PER_STEP = 64

/** Twice the length of any tool's name. */
const MAX_NAME_CHARS = 128

/** Creates the check of one turn. `ids` are the ids of earlier calls. */
export function createCallCheck(model: string, ids = new Set<string>()): CallCheck {
  const made = new Map<string, number>()

  function timesMade({ name, arguments: args }: ToolCall): number {
    const parsed = parseArguments(args)
    const key = JSON.stringify([name, parsed.ok ? stableJson(parsed.value) : args])
    const times = (made.get(key) ?? 0) + 1
    made.set(key, times)
    return times
  }

  return (calls) => {
    if (calls.length > MAX_CALLS_PER_STEP)
      return { calls: [], halt: `@${model} asked for ${calls.length} tools at once; it was stopped` }
    const checked = calls.map((call) => ({
      ...call,
      id: uniqueId(call.id, ids),
      name: cleanName(call.name),
    }))
    const repeated = checked.find((call) => timesMade(call) >= MAX_SAME_CALLS)
    if (!repeated) return { calls: checked }
    const again = `called ${repeated.name.slice(0, 64)} ${MAX_SAME_CALLS} times with the same arguments`
    return { calls: checked, halt: `@${model} ${again}; it was stopped` }
  }
}

const VALID_ID = /^[\w.:-]{1,64}$/

/** Some servers count ids from zero in every step, or send none. */
function uniqueId(id: string, ids: Set<string>): string {
  let unique = id
  for (let number = ids.size + 1; ids.has(unique) || !VALID_ID.test(unique); number++)
    unique = `call_${number}`
  ids.add(unique)
  return unique
}

/** Returns a call as the next request repeats it. Unusable arguments are not sent back. */
export function asRepeated(call: ToolCall): ToolCall {
  const parsed = parseArguments(call.arguments)
  return { ...call, arguments: JSON.stringify(parsed.ok ? parsed.value : {}) }
}
