import { isJsonObject, type Json, type JsonObject } from '../lib/json.ts'
import { cleanText } from '../lib/clean-text.ts'

/** A call that the model asked for. */
export interface ToolCall {
  /** Unique within the turn. */
  readonly id: string
  readonly name: string
  /** The text as it came; see `parseArguments`. */
  readonly arguments: string
  /** What the provider wants back with this call in the next request. We do not read it (Gemini's thought signatures). */
  readonly providerData?: JsonObject
}

/** A call's arguments, or why they cannot be used. */
export type ParsedArguments =
  { readonly ok: true; readonly value: JsonObject } | { readonly ok: false; readonly error: string }

/** Characters of a call's arguments. */
const MAX_ARGUMENTS_CHARS = 256 * 1024

/** Levels of nesting in a call's arguments. */
const MAX_ARGUMENTS_DEPTH = 64

/**
 * The arguments as a model wrote them: a JSON object, or a JSON string that holds one. Blank text means no arguments:
 * some servers send it for tools without parameters. Anything else is an error that the model can act on.
 */
export function parseArguments(text: string): ParsedArguments {
  if (text.length > MAX_ARGUMENTS_CHARS)
    return wrong(`the arguments are longer than ${MAX_ARGUMENTS_CHARS} characters`)
  if (text.trim() === '') return { ok: true, value: {} }
  const once = parseJson(text)
  const value = typeof once === 'string' ? parseJson(once) : once
  if (value instanceof Error)
    return wrong(`the arguments are not valid JSON (${reason(value)}); send one JSON object`)
  if (!isJsonObject(value)) return wrong(`the arguments must be a JSON object, got ${kindOf(value)}`)
  if (isDeeperThan(value, MAX_ARGUMENTS_DEPTH))
    return wrong(`the arguments are nested more than ${MAX_ARGUMENTS_DEPTH} deep`)
  return { ok: true, value }
}

const wrong = (error: string): ParsedArguments => ({ ok: false, error })

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

/** Goes level by level and not by recursion, because the model chooses the nesting. */
function isDeeperThan(value: Json, depth: number): boolean {
  let level: readonly Json[] = [value]
  for (let at = 0; at < depth; at++) {
    level = level.flatMap((one) => (typeof one === 'object' && one !== null ? Object.values(one) : []))
    if (level.length === 0) return false
  }
  return level.some((one) => typeof one === 'object' && one !== null)
}
