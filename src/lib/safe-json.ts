/**
 * A value as JSON that is safe to print on anybody's terminal: what is a control, invisible or turns the
 * direction of writing is escaped, and parses to exactly what it was. Takes any value that JSON has a word for.
 */
export const safeJson = (value: unknown): string =>
  JSON.stringify(value).replace(/[\p{Cc}\p{Cf}\u2028\u2029]/gu, (character) =>
    Array.from({ length: character.length }, (_, at) => escaped(character.charCodeAt(at))).join(''),
  )

const escaped = (unit: number): string => `\\u${unit.toString(16).padStart(4, '0')}`
