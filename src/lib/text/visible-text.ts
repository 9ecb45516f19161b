import { cleanText } from './clean-text.ts'

/**
 * Text that shows all that is in it: where cleaning would drop or change a character, it is written as
 * `\u{200b}` instead. For what people judge before it runs: two texts that differ look different.
 */
export function visibleText(given: string): string {
  const text = given.replace(BLANK_BRAILLE, spell)
  if (cleanText(text) === text) return text
  const spelled = text.replace(HIDDEN, spell)
  return cleanText(spelled) === spelled ? spelled : text.replace(NOT_PLAIN, spell)
}

/** The same on one line: line ends and tabs are spelled out as well. For a path or an address among other words. */
export const visibleLine = (text: string): string => visibleText(text).replace(/[\n\t]/gu, spell)

/** Looks like a space and is none. Cleaning leaves it, since it belongs to a script. */
const BLANK_BRAILLE = /\u2800/gu

/** Controls, formats, separators, lone surrogates, fillers. */
const HIDDEN = /(?![\n\t])[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/gu

/** What is left when marks were heaped: everything that is not plain ASCII. */
const NOT_PLAIN = /[^\n\t -~]/gu

const spell = (character: string): string => `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`
