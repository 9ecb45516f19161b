import { cleanText } from './clean-text.ts'

/**
 * Spells what cleaning would drop or change as `\u{200b}`: for people who judge it before it runs, two texts
 * that differ look different.
 */
export function visibleText(given: string): string {
  const text = given.replace(BLANK_BRAILLE, spell)
  if (cleanText(text) === text) return text
  const spelled = text.replace(HIDDEN, spell)
  return cleanText(spelled) === spelled ? spelled : text.replace(NOT_PLAIN, spell)
}

/** On one line, for a path or an address among other words. */
export const visibleLine = (text: string): string => visibleText(text).replace(/[\n\t]/gu, spell)

/** Looks like a space. Cleaning leaves it, since it belongs to a script. */
const BLANK_BRAILLE = /\u2800/gu

const HIDDEN = /(?![\n\t])[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/gu

/** Spelled if marks were heaped. */
const NOT_PLAIN = /[^\n\t -~]/gu

const spell = (character: string): string => `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`
