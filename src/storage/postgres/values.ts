import { types, type CustomTypesConfig } from 'pg'

/**
 * Escapes U+0000, which PostgreSQL cannot store in a text, as U+FDD0 and 0, and U+FDD0 itself as U+FDD0 and
 * 1. Unicode reserves U+FDD0 for use inside of programs.
 */
const MARK = '\u{fdd0}'

export function toStored(value: unknown): unknown {
  if (typeof value === 'string') return storedText(value)
  if (Array.isArray(value)) return value.map(toStored)
  return value ?? null
}

export const fromStored = (text: string): string =>
  text.includes(MARK) ? text.replaceAll(`${MARK}0`, '\0').replaceAll(`${MARK}1`, MARK) : text

const storedText = (text: string): string =>
  text.includes('\0') || text.includes(MARK)
    ? text.replaceAll(MARK, `${MARK}1`).replaceAll('\0', `${MARK}0`)
    : text

const { TEXT, INT8, NUMERIC } = types.builtins

/** Parsers of stored values. Integers and their sums stay below 2^53. */
export const VALUE_TYPES: CustomTypesConfig = {
  getTypeParser: (type, format) => {
    if (type === TEXT) return fromStored
    if (type === INT8 || type === NUMERIC) return Number
    return types.getTypeParser(type, format)
  },
}
