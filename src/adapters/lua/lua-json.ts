import type { Json } from '../../lib/json.ts'

/**
 * Reads what lua/json.lua writes: JSON in which long texts are written as Lua's `%q` does it, with a backslash
 * before a line break and control characters as decimal numbers.
 */
export const readLuaJson = (text: string): Json =>
  JSON.parse(text.replace(/\\(\n|\d{1,3}|[^])/g, asJson)) as Json

function asJson(escape: string, code: string): string {
  if (code === '\n') return '\\n'
  const number = Number(code)
  return Number.isNaN(number) ? escape : `\\u${number.toString(16).padStart(4, '0')}`
}
