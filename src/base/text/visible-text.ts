import { cleanText } from './clean-text.ts'

/** Shows what sanitizing drops or changes as `\u{200b}`, so that approvers see every difference. */
export function visibleText(given: string): string {
  const text = given.replace(BLANK_BRAILLE, spell)
  if (cleanText(text) === text) return text
  const spelled = text.replace(HIDDEN, spell)
  return cleanText(spelled) === spelled ? spelled : text.replace(NOT_PLAIN, spell)
}

/** Shows a path or an address on one line. */
export const visibleLine = (text: string): string => visibleText(text).replace(/[\n\t]/gu, spell)

/** Looks like a space, but sanitizing keeps it, because Braille uses it. */
const BLANK_BRAILLE = /\u2800/gu

const HIDDEN = /(?![\n\t])[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/gu

/** Characters shown in escaped form if too many marks are on one base. */
const NOT_PLAIN = /[^\n\t -~]/gu

const spell = (character: string): string => `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`
