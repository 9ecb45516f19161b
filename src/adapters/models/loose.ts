/**
 * Reads values that a server may send in another form than its documentation says. `null` is absent, a number
 * may stand for a text and digits for a number, and one thing for a list of it. No function throws.
 */

/** A JSON object whose values nobody has checked. */
export type Fields = Readonly<Record<string, unknown>>

/** A text. A number is its digits; anything else is absent. */
export const textIn = (value: unknown): string | undefined =>
  typeof value === 'string' ? value : typeof value === 'number' ? String(value) : undefined

/** No model can read or write more tokens than this in one step. */
const MAX_COUNT = 1_000_000_000

/** An integer from 0 to 10⁹, which may be a text of digits; anything else is absent. */
export function countIn(value: unknown): number | undefined {
  const count = typeof value === 'string' && /^\d{1,10}$/.test(value) ? Number(value) : value
  return typeof count === 'number' && Number.isInteger(count) && count >= 0 && count <= MAX_COUNT
    ? count
    : undefined
}

/** An object; an empty one for anything else. */
export const objectIn = (value: unknown): Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Fields) : {}

/** A list; an empty one if the value is absent. */
export const listIn = (value: unknown): readonly unknown[] =>
  Array.isArray(value) ? value : value === undefined || value === null ? [] : [value]

/** JSON as text: a text is taken as it is, an object is written. */
export const jsonTextIn = (value: unknown): string | undefined =>
  typeof value === 'object' && value !== null ? JSON.stringify(value) : textIn(value)

/** The value of a JSON text; undefined if it is none. */
export function jsonIn(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** What an error says for people, in any of the forms that servers have for it; undefined if it says nothing. */
export function messageIn(value: unknown, depth = 0): string | undefined {
  const first = listIn(value)[0]
  if (typeof first === 'string') return first.trim() || undefined
  if (depth > 4) return undefined
  const fields = objectIn(first)
  // OpenAI and most others, Ollama and xAI; vLLM before 0.10; FastAPI.
  for (const key of ['error', 'message', 'detail', 'msg']) {
    const message = messageIn(fields[key], depth + 1)
    if (message) return message
  }
  return undefined
}
