import { isTooDeep, parseJson } from '../base/json.ts'

// Reads values that a server may send in another form than documented: `null` counts as absent, a number may
// be a string or the reverse, and a single value may replace a list. No function throws.

export type Fields = Readonly<Record<string, unknown>>

export const asText = (value: unknown): string | undefined =>
  typeof value === 'string' ? value : typeof value === 'number' ? String(value) : undefined

/** No model reads or writes more tokens in one step. */
const MAX_COUNT = 1_000_000_000

/** Returns an integer from 0 to 10⁹; undefined for other values. */
export function asCount(value: unknown): number | undefined {
  const count = typeof value === 'string' && /^\d{1,10}$/.test(value) ? Number(value) : value
  const isCount = typeof count === 'number' && Number.isInteger(count) && count >= 0 && count <= MAX_COUNT
  return isCount ? count : undefined
}

/** Returns undefined if a value is not a count. */
export function sumOf(...values: readonly unknown[]): number | undefined {
  const sum = values.reduce<number>((total, value) => total + (asCount(value) ?? NaN), 0)
  return asCount(sum)
}

export const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null

export const asObject = (value: unknown): Fields =>
  isObject(value) && !Array.isArray(value) ? (value as Fields) : {}

export const asList = (value: unknown): readonly unknown[] =>
  Array.isArray(value) ? value : value === undefined || value === null ? [] : [value]

/** Returns undefined for invalid JSON, and for JSON so deep that reading it could overflow the stack. */
export function parseIfJson(text: string): unknown {
  try {
    const value = parseJson(text)
    return isTooDeep(value) ? undefined : value
  } catch {
    return undefined
  }
}

/** False for null, blank texts, 0, false, and for lists and objects that contain nothing else. */
export function hasContent(value: unknown): boolean {
  if (isObject(value)) return Object.values(value).some(hasContent)
  return typeof value === 'string' ? value.trim() !== '' : Boolean(value)
}

/** Joins the texts of a text, a number, a list of parts or an object with a text. */
export function joinTexts(value: unknown, depth = 0): string {
  const text = asText(value)
  if (text !== undefined || depth > 4) return text ?? ''
  if (Array.isArray(value)) return value.map((part) => joinTexts(part, depth + 1)).join('')
  const fields = asObject(value)
  return joinTexts(fields['text'] ?? fields['content'], depth + 1)
}

/** Accepts an object or its JSON text. */
export const asParsedObject = (value: unknown): Fields =>
  asObject(typeof value === 'string' ? parseIfJson(value) : value)

/** Returns a call's arguments as JSON text. PHP writes an empty object as an empty list. */
export function argumentsText(value: unknown): string | undefined {
  if (Array.isArray(value) && value.length === 0) return '{}'
  return isObject(value) ? JSON.stringify(value) : asText(value)
}

/** Fields of errors, most usual first: OpenAI and most others, Ollama and xAI; vLLM before 0.10; FastAPI. */
const WORDS_OF_ERRORS = ['error', 'errors', 'message', 'detail', 'msg', 'error_message', 'error_description']

/** Returns an error's text for people, from any form that servers use. */
export function errorText(value: unknown, depth = 0): string | undefined {
  if (depth > 8 || !hasContent(value)) return undefined
  if (typeof value === 'string') {
    const inner = /^\s*[{[]/.test(value) ? errorText(parseIfJson(value), depth + 1) : undefined
    return inner ?? (value.trim() || undefined)
  }
  if (Array.isArray(value)) {
    return value.flatMap((one) => errorText(one, depth + 1) ?? []).join('; ') || undefined
  }
  const fields = asObject(value)
  const said = WORDS_OF_ERRORS.flatMap((key) => errorText(fields[key], depth + 1) ?? [])
  // Spring, Fastify and OAuth put a short word into `error` and the explanation into another field.
  const message = typeof fields['error'] === 'string' ? [...new Set(said)].slice(0, 2).join(': ') : said[0]
  // FastAPI names the path of a wrong field; OpenRouter adds the provider's own text.
  const place = asList(fields['loc']).join('.')
  const raw = errorText(asObject(fields['metadata'])['raw'], depth + 1)
  if (message === undefined) return raw
  return `${place && `${place}: `}${message}${raw ? `: ${raw}` : ''}`
}
