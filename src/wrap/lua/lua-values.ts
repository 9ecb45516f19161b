import { errorMessage } from '../../base/errors.ts'
import { parseJson, type Json } from '../../base/json.ts'
import type { LuaJob } from '../ports.ts'

/** Lua's parser allows about 200 levels. A value nested deeper than `MAX_DEPTH` becomes nil. */
const MAX_DEPTH = 64

/**
 * Writes a value as a Lua expression, because one table constructor is parsed several times faster than
 * tables are built through the API. Lone surrogates become U+FFFD; null becomes nil; list elements keep their
 * index.
 */
export function luaLiteral(value: Json, depth = 0): string {
  if (value === null || depth > MAX_DEPTH) return 'nil'
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

const SPECIAL = /["\\\u0000-\u001f\u007f]/g

/** Quotes a Lua string with every byte, NUL included. */
function luaString(text: string): string {
  const escape = (character: string): string => `\\${String(character.charCodeAt(0)).padStart(3, '0')}`
  return `"${text.toWellFormed().replace(SPECIAL, escape)}"`
}

function luaNumber(value: number): string {
  if (!Number.isFinite(value)) return 'nil'
  // With an exponent Lua reads a float; a whole number's digits below 2^63 would be an integer.
  return Number.isSafeInteger(value) ? String(value) : value.toExponential()
}

/** Reads lua/json.lua's JSON: long texts are Lua's `%q`, with `\` before line breaks and decimal controls. */
export function readLuaJson(text: string): Json {
  // Escaped line breaks are by far the most; a backslash before a line break always belongs to it.
  const inLines = text.replaceAll('\\\n', '\\n')
  return parseJson(/\\\d/.test(inLines) ? inLines.replace(/\\(\d{1,3}|[^])/g, asJsonEscape) : inLines)
}

function asJsonEscape(escape: string, code: string): string {
  const number = Number(code)
  return Number.isNaN(number) ? escape : `\\u${number.toString(16).padStart(4, '0')}`
}

/** An answer to lua/sandbox.lua: a text, or Lua code that returns another value or raises an error. */
export type HostAnswer = { readonly text: string } | { readonly code: string }

/** Asks a job's host in the JSON of lua/json.lua. Never throws. No answer has NUL; texts are well-formed. */
export function askHost(host: LuaJob['host'], name: string, argument: string): HostAnswer {
  try {
    const value = host(name, readLuaJson(argument))
    if (typeof value !== 'string' || value.includes('\0')) return { code: `return ${luaLiteral(value)}` }
    return { text: value.toWellFormed() }
  } catch (error) {
    return { code: `error(${luaString(errorMessage(error))}, 0)` }
  }
}
