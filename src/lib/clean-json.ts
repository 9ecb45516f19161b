import { cleanText } from './text/clean-text.ts'
import type { Json, JsonObject } from './json.ts'

/** Levels of nesting that JSON from outside may have. Deeper values overflow the stack of whoever walks them. */
export const MAX_JSON_DEPTH = 64

/** Keys and values that one text in JSON from outside may have. Each costs about a microsecond of the thread to read. */
export const MAX_JSON_VALUES = 10_000

/** True if a text in JSON has more than `MAX_JSON_VALUES` keys and values. Looks at the text, and does not parse it. */
export function hasTooManyValues(text: string): boolean {
  let count = 1
  for (let at = 0; at < text.length; at++) {
    const character = text[at]
    if (character === '"') at = endOfString(text, at)
    else if (character === ',' || character === ':' || character === '[' || character === '{') count += 1
    if (count > MAX_JSON_VALUES) return true
  }
  return false
}

/** Where the string that begins at `start` ends; the end of the text if it does not. */
function endOfString(text: string, start: number): number {
  let at = start + 1
  while (at < text.length && text[at] !== '"') at += text[at] === '\\' ? 2 : 1
  return at
}

/**
 * JSON from outside as it may be stored, shown and sent: all texts in it are cleaned like speech, the names of
 * properties too. Of two names that become one, the later property stays. Takes at most `MAX_JSON_DEPTH` levels.
 */
export function cleanJson<T extends Json>(value: T): T
export function cleanJson(value: Json): Json {
  if (typeof value === 'string') return cleanText(value)
  if (typeof value !== 'object' || value === null) return value
  if (isList(value)) return value.map((item) => cleanJson(item))
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [cleanText(name), cleanJson(one)]))
}

const isList = (value: readonly Json[] | JsonObject): value is readonly Json[] => Array.isArray(value)

/** Goes level by level and not by recursion, because whoever wrote the value chose its nesting. */
export function isTooDeep(value: Json): boolean {
  let level: readonly Json[] = [value]
  for (let depth = 0; depth < MAX_JSON_DEPTH; depth++) {
    level = level.flatMap((one) => (typeof one === 'object' && one !== null ? Object.values(one) : []))
    if (level.length === 0) return false
  }
  return level.some((one) => typeof one === 'object' && one !== null)
}
