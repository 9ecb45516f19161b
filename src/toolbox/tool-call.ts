import { cleanJson, isTooDeep, MAX_JSON_DEPTH } from '../lib/clean-json.ts'
import { cleanText } from '../lib/text/clean-text.ts'
import { isJsonObject, type Json, type JsonObject, stableJson } from '../lib/json.ts'

/** A call that the model asked for. */
export interface ToolCall {
  /** Unique within the turn. */
  readonly id: string
  readonly name: string
  /** The text as it came; see `parseArguments`. */
  readonly arguments: string
  /**
   * What the provider wants back with this call in the next request. We do not read it (Gemini's thought
   * signatures).
   */
  readonly providerData?: JsonObject
}

/**
 * A call's arguments, or why they cannot be used. `value` is cleaned: it is what is stored, shown and sent to
 * models. `original` is what was written, for parameters that hold the text of a file.
 */
export type ParsedArguments =
  | { readonly ok: true; readonly value: JsonObject; readonly original: JsonObject }
  | { readonly ok: false; readonly error: string }

/** Characters of a call's arguments. */
const MAX_ARGUMENTS_CHARS = 256 * 1024

/**
 * The arguments as a model wrote them: a JSON object, or a JSON string that holds one. Blank text means no
 * arguments: some servers send it for tools without parameters. A program may give an object as it is.
 * Anything else is an error that the model can act on.
 */
export function parseArguments(given: unknown): ParsedArguments {
  const text = typeof given === 'string' ? given : writeJson(given)
  if (text instanceof Error) return wrong(`the arguments cannot be written as JSON (${reason(text)})`)
  if (text.length > MAX_ARGUMENTS_CHARS)
    return wrong(`the arguments are longer than ${MAX_ARGUMENTS_CHARS} characters`)
  if (text.trim() === '') return { ok: true, value: {}, original: {} }
  const once = parseJson(text)
  const value = typeof once === 'string' ? parseJson(once) : once
  if (value instanceof Error)
    return wrong(`the arguments are not valid JSON (${reason(value)}); send one JSON object`)
  if (!isJsonObject(value)) return wrong(`the arguments must be a JSON object, got ${kindOf(value)}`)
  if (isTooDeep(value)) return wrong(`the arguments are nested more than ${MAX_JSON_DEPTH} deep`)
  return { ok: true, value: cleanJson(value), original: value }
}

/** The arguments that a tool runs with: cleaned, but for the parameters that it declares `verbatim`. */
export const argumentsFor = (
  { value, original }: Pick<ParsedArguments & { ok: true }, 'value' | 'original'>,
  verbatim: readonly string[] = [],
): JsonObject => ({
  ...value,
  ...Object.fromEntries(
    verbatim.flatMap((name) => {
      const given = Object.hasOwn(original, name) ? original[name] : undefined
      return given === undefined ? [] : [[name, given]]
    }),
  ),
})

/**
 * A called name as it may be stored, shown and sent: of a length that any tool's name has, and without what
 * would let it pass for a sentence. No tool's name has anything else.
 */
export const cleanName = (name: string): string =>
  cleanText(name.slice(0, MAX_NAME_CHARS)).replace(/[^\p{L}\p{N}\p{M}_.-]+/gu, '_')

const wrong = (error: string): ParsedArguments => ({ ok: false, error })

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

/** The parser's message, which quotes the text around the mistake. */
const reason = (error: Error): string => cleanText(error.message).slice(0, 200)

function kindOf(value: Json): string {
  if (value === null) return 'null'
  return Array.isArray(value) ? 'an array' : `a ${typeof value}`
}

/**
 * Checks the calls of a step before any of them runs. Gives them unique ids, and says why the turn must stop,
 * if it must.
 */
export type CallCheck = (calls: readonly ToolCall[]) => {
  readonly calls: readonly ToolCall[]
  readonly halt?: string
}

/** A model that makes the same call with the same arguments so often in one turn is going in circles. */
const MAX_SAME_CALLS = 3

/** A model that makes more calls than this in one step has gone wrong. */
const MAX_CALLS_PER_STEP = 64

/**
 * Characters of a called name. No tool's name is longer than half of this, but a model can make up any name.
 */
const MAX_NAME_CHARS = 128

/**
 * Remembers the calls of one turn. `model` is named in the reason to stop; `ids` are those that earlier calls
 * have.
 */
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
    return repeated ? { calls: checked, halt: goesInCircles(model, repeated) } : { calls: checked }
  }
}

const goesInCircles = (model: string, { name }: ToolCall): string =>
  `@${model} called ${name.slice(0, 64)} ${MAX_SAME_CALLS} times with the same arguments; it was stopped`

const VALID_ID = /^[\w.:-]{1,64}$/

/**
 * Calls and results pair up by their ids, but some servers count from zero in every step, or send no ids at
 * all.
 */
function uniqueId(id: string, ids: Set<string>): string {
  let unique = id
  for (let number = ids.size + 1; ids.has(unique) || !VALID_ID.test(unique); number++)
    unique = `call_${number}`
  ids.add(unique)
  return unique
}

/** A call as the next request repeats it: cleaned. Arguments that could not be used are not sent back. */
export function asRepeated(call: ToolCall): ToolCall {
  const parsed = parseArguments(call.arguments)
  return { ...call, arguments: JSON.stringify(parsed.ok ? parsed.value : {}) }
}
