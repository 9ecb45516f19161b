import type { Json } from '../../lib/json.ts'

/** Lua's parser allows about 200 levels; what is deeper is nil. */
const deepest = 64

/**
 * A value as a Lua expression: one table constructor is parsed several times faster than tables are built
 * through the API. Lone surrogates become U+FFFD, as in any UTF-8; null is nil; a list keeps its places.
 */
export function luaLiteral(value: Json, depth = 0): string {
  if (value === null || depth > deepest) return 'nil'
  if (typeof value === 'string') return luaString(value)
  if (typeof value === 'number') return luaNumber(value)
  if (typeof value === 'boolean') return String(value)
  if (Array.isArray(value)) {
    return `{${(value as readonly Json[]).map((element) => luaLiteral(element, depth + 1)).join(',')}}`
  }
  const fields = Object.entries(value).map(
    ([key, inner]) => `[${luaString(key)}]=${luaLiteral(inner, depth + 1)}`,
  )
  return `{${fields.join(',')}}`
}

const special = /["\\\u0000-\u001f\u007f]/g

/** A quoted Lua string with every byte, NUL included. */
export function luaString(text: string): string {
  const escape = (character: string): string => `\\${String(character.charCodeAt(0)).padStart(3, '0')}`
  return `"${text.toWellFormed().replace(special, escape)}"`
}

function luaNumber(value: number): string {
  if (!Number.isFinite(value)) return 'nil'
  // Beyond 2^63 a whole number is not an integer in Lua, but its digits would still be read as a float.
  return Number.isSafeInteger(value) ? String(value) : value.toExponential()
}
