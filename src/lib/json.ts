/** Any value that JSON can carry. */
export type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json }

/** A JSON object. */
export type JsonObject = { readonly [key: string]: Json }

/** A JSON Schema (draft 2020-12 unless `$schema` says otherwise), always an object at the top. */
export type JsonSchema = JsonObject

/** True for an object, which an array is not. */
export const isJsonObject = (value: Json | undefined): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** True for a list. */
export const isJsonList = (value: Json | undefined): value is readonly Json[] => Array.isArray(value)

/**
 * Compact JSON with the keys of every object in code-unit order (numbers first, as JavaScript keeps them):
 * equal values give equal text, whatever order they were built in. Throws `RangeError` on thousands of levels.
 */
export function stableJson(value: Json): string {
  return JSON.stringify(value, (_key, inner: unknown) => (isObject(inner) ? sorted(inner) : inner))
}

const isObject = (value: unknown): value is object =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** `fromEntries` defines own properties, so that a key `__proto__` is a key like any other. */
const sorted = (object: object): object =>
  Object.fromEntries(Object.entries(object).toSorted(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0)))
