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
  return typeof count === 'number' && Number.isInteger(count) && count >= 0 && count <= MAX_COUNT
    ? count
    : undefined
}

export const objectIn = (value: unknown): Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Fields) : {}

export const listIn = (value: unknown): readonly unknown[] =>
  Array.isArray(value) ? value : value === undefined || value === null ? [] : [value]

export const jsonTextIn = (value: unknown): string | undefined =>
  typeof value === 'object' && value !== null ? JSON.stringify(value) : textIn(value)

/** Undefined for broken JSON. */
export function jsonIn(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** The words of an error for people, in any form that servers have for it. */
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
