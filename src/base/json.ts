import { cleanText } from './text/clean-text.ts'

export type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json }

export type JsonObject = { readonly [key: string]: Json }

/** A JSON Schema, of draft 2020-12 unless `$schema` names another. */
export type JsonSchema = JsonObject

/** Throws `SyntaxError`. */
export function parseJson(text: string): Json {
  const value: Json = JSON.parse(text)
  return value
}

export const isJsonObject = (value: Json | undefined): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

export const isJsonList = (value: Json | undefined): value is readonly Json[] => Array.isArray(value)

/** Sorts keys by code unit, so that equal values give equal text. Throws `RangeError` for deep nesting. */
export function stableJson(value: Json): string {
  return JSON.stringify(value, (_key, inner: unknown) => (isObject(inner) ? sorted(inner) : inner))
}

const isObject = (value: unknown): value is object =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** `fromEntries` also creates `__proto__` as an own property. */
const sorted = (object: object): object =>
  Object.fromEntries(Object.entries(object).toSorted(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0)))

/** Writes JSON that is safe on a terminal: control and invisible characters are escaped. */
export const safeJson = (value: unknown): string =>
  JSON.stringify(value).replace(/[\p{Cc}\p{Cf}\u2028\u2029]/gu, (character) =>
    Array.from({ length: character.length }, (_, at) => escaped(character.charCodeAt(at))).join(''),
  )

const escaped = (unit: number): string => `\\u${unit.toString(16).padStart(4, '0')}`

/** Limit for JSON from outside, because deeper values overflow the stack. */
export const MAX_JSON_DEPTH = 64

/** Limit for JSON from outside, because each value takes about a microsecond to read. */
export const MAX_JSON_VALUES = 10_000

/** Counts without parsing the text. */
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

/** Returns the index of the quote that ends the string starting at `start`. */
export function endOfString(text: string, start: number): number {
  let at = start + 1
  while (at < text.length && text[at] !== '"') at += text[at] === '\\' ? 2 : 1
  return at
}

/** Sanitizes texts and property names down to `MAX_JSON_DEPTH`. Of equal names, the later property wins. */
export function cleanJson<T extends Json>(value: T): T
export function cleanJson(value: Json): Json {
  if (typeof value === 'string') return cleanText(value)
  if (typeof value !== 'object' || value === null) return value
  if (isList(value)) return value.map((item) => cleanJson(item))
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [cleanText(name), cleanJson(one)]))
}

const isList = (value: readonly Json[] | JsonObject): value is readonly Json[] => Array.isArray(value)

/** Avoids recursion, because input decides the nesting. */
export function isTooDeep(value: Json): boolean {
  let level: readonly Json[] = [value]
  for (let depth = 0; depth < MAX_JSON_DEPTH; depth++) {
    level = level.flatMap((one) => (typeof one === 'object' && one !== null ? Object.values(one) : []))
    if (level.length === 0) return false
  }
  return level.some((one) => typeof one === 'object' && one !== null)
}
