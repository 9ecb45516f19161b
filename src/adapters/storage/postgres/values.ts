import { types, type CustomTypesConfig } from 'pg'

/**
 * PostgreSQL keeps no U+0000 in a text: U+FDD0 with a 0 replaces it, and U+FDD0 itself is written with a 1.
 * Unicode keeps that code point for use inside of a program.
 */
const MARK = '\u{fdd0}'

/** A value as PostgreSQL takes it: texts keep every character that JavaScript's have. */
export function toStored(value: unknown): unknown {
  if (typeof value === 'string') return storedText(value)
  if (Array.isArray(value)) return value.map(toStored)
  return value ?? null
}

/** A text of the database, as it was given to `toStored`. */
export const fromStored = (text: string): string =>
  text.includes(MARK) ? text.replaceAll(`${MARK}0`, '\0').replaceAll(`${MARK}1`, MARK) : text

const storedText = (text: string): string =>
  text.includes('\0') || text.includes(MARK)
    ? text.replaceAll(MARK, `${MARK}1`).replaceAll('\0', `${MARK}0`)
    : text

const { TEXT, INT8, NUMERIC } = types.builtins

/** How what is read becomes a value: whole numbers, and their sums, stay below 2^53. */
export const VALUE_TYPES: CustomTypesConfig = {
  getTypeParser: (type, format) => {
    if (type === TEXT) return fromStored
    if (type === INT8 || type === NUMERIC) return Number
    return types.getTypeParser(type, format)
  },
}
