import type { Json, JsonObject } from '../lib/json.ts'
import { cleanText } from '../lib/clean-text.ts'

/** A call's arguments: what the tool gets, or why it gets nothing. */
export type ParsedArguments =
  { readonly ok: true; readonly value: JsonObject } | { readonly ok: false; readonly error: string }

const MAX_CHARS = 256 * 1024
const MAX_DEPTH = 64

/**
 * The arguments as a model wrote them: a JSON object, or text that holds one. Blank text is no arguments,
 * as servers send it for tools without parameters. Anything else is an error that the model can act on.
 */
export function parseArguments(text: string): ParsedArguments {
  if (text.length > MAX_CHARS) return wrong(`the arguments are longer than ${MAX_CHARS} characters`)
  if (text.trim() === '') return { ok: true, value: {} }
  const once = parseJson(text)
  const value = typeof once === 'string' ? parseJson(once) : once
  if (value instanceof Error)
    return wrong(`the arguments are not valid JSON (${reason(value)}); send one JSON object`)
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    return wrong(`the arguments must be a JSON object, got ${kindOf(value)}`)
  }
  if (isDeeperThan(value, MAX_DEPTH)) return wrong(`the arguments are nested more than ${MAX_DEPTH} deep`)
  return { ok: true, value: value as JsonObject }
}

const wrong = (error: string): ParsedArguments => ({ ok: false, error })

function parseJson(text: string): Json | Error {
  try {
    return JSON.parse(text) as Json
  } catch (error) {
    return error as Error
  }
}

/** The parser's words, which quote the text around the mistake. */
const reason = (error: Error): string => cleanText(error.message).slice(0, 200)

function kindOf(value: Json): string {
  if (value === null) return 'null'
  return Array.isArray(value) ? 'an array' : `a ${typeof value}`
}

/** Level by level rather than by recursion: the nesting is the model's to choose. */
function isDeeperThan(value: Json, depth: number): boolean {
  let level: readonly Json[] = [value]
  for (let at = 0; at < depth; at++) {
    level = level.flatMap((one) => (typeof one === 'object' && one !== null ? Object.values(one) : []))
    if (level.length === 0) return false
  }
  return level.some((one) => typeof one === 'object' && one !== null)
}
