import { isTooDeep, parseJson } from '../../lib/json.ts'

/**
 * Reads values that a server may send in another form than documented: `null` is absent, a number may be a
 * text and digits a number, one thing may be a list of it. No function throws.
 */

export type Fields = Readonly<Record<string, unknown>>

export const textIn = (value: unknown): string | undefined =>
  typeof value === 'string' ? value : typeof value === 'number' ? String(value) : undefined

/** No model can read or write more tokens than this in one step. */
const MAX_COUNT = 1_000_000_000

/** An integer from 0 to 10⁹. */
export function countIn(value: unknown): number | undefined {
  const count = typeof value === 'string' && /^\d{1,10}$/.test(value) ? Number(value) : value
  const isCount = typeof count === 'number' && Number.isInteger(count) && count >= 0 && count <= MAX_COUNT
  return isCount ? count : undefined
}

/** Undefined if one of them is no count. */
export function sumOf(...values: readonly unknown[]): number | undefined {
  const sum = values.reduce<number>((total, value) => total + (countIn(value) ?? NaN), 0)
  return countIn(sum)
}

export const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null

export const objectIn = (value: unknown): Fields =>
  isObject(value) && !Array.isArray(value) ? (value as Fields) : {}

export const listIn = (value: unknown): readonly unknown[] =>
  Array.isArray(value) ? value : value === undefined || value === null ? [] : [value]

/** Undefined for broken JSON, and for JSON so deep that reading it could overflow the stack. */
export function jsonIn(text: string): unknown {
  try {
    const value = parseJson(text)
    return isTooDeep(value) ? undefined : value
  } catch {
    return undefined
  }
}

/** False for null, a blank text, 0 and false, and for lists and objects of nothing else. */
export function isSaid(value: unknown): boolean {
  if (isObject(value)) return Object.values(value).some(isSaid)
  return typeof value === 'string' ? value.trim() !== '' : Boolean(value)
}

/** The texts of a value in any form: a text, a number, a list of parts, an object with a text. */
export function wordsIn(value: unknown, depth = 0): string {
  const text = textIn(value)
  if (text !== undefined || depth > 4) return text ?? ''
  if (Array.isArray(value)) return value.map((part) => wordsIn(part, depth + 1)).join('')
  const fields = objectIn(value)
  return wordsIn(fields['text'] ?? fields['content'], depth + 1)
}

/** An object, also if it came as its JSON text. */
export const parsedIn = (value: unknown): Fields =>
  objectIn(typeof value === 'string' ? jsonIn(value) : value)

/** Arguments of a call as JSON text. PHP writes an empty object as an empty list. */
export function argumentsIn(value: unknown): string | undefined {
  if (Array.isArray(value) && value.length === 0) return '{}'
  return isObject(value) ? JSON.stringify(value) : textIn(value)
}

/** In the order of servers' habit: OpenAI and most others, Ollama and xAI; vLLM before 0.10; FastAPI. */
const WORDS_OF_ERRORS = ['error', 'errors', 'message', 'detail', 'msg', 'error_message', 'error_description']

/** The words of an error for people, in any form that servers have for it. */
export function messageIn(value: unknown, depth = 0): string | undefined {
  if (depth > 8 || !isSaid(value)) return undefined
  if (typeof value === 'string') {
    const inner = /^\s*[{[]/.test(value) ? messageIn(jsonIn(value), depth + 1) : undefined
    return inner ?? (value.trim() || undefined)
  }
  if (Array.isArray(value)) {
    return value.flatMap((one) => messageIn(one, depth + 1) ?? []).join('; ') || undefined
  }
  const fields = objectIn(value)
  const said = WORDS_OF_ERRORS.flatMap((key) => messageIn(fields[key], depth + 1) ?? [])
  // Spring, Fastify and OAuth have a short word as `error`, and beside it what is wrong.
  const message = typeof fields['error'] === 'string' ? [...new Set(said)].slice(0, 2).join(': ') : said[0]
  // FastAPI names the place of a wrong field; OpenRouter has the provider's own words beside its own.
  const place = listIn(fields['loc']).join('.')
  const raw = messageIn(objectIn(fields['metadata'])['raw'], depth + 1)
  if (message === undefined) return raw
  return `${place && `${place}: `}${message}${raw ? `: ${raw}` : ''}`
}
