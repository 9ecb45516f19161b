import { characterAt, characterEnd } from '../../lib/text/characters.ts'
import type { Draft } from './draft.ts'

/** The beginning of the word before the cursor: letters and digits, as readline's `backward-word` has them. */
export function wordStart({ text, cursor }: Draft): number {
  let at = cursor
  while (at > 0 && !isLetter(text.charCodeAt(at - 1))) at--
  while (at > 0 && isLetter(text.charCodeAt(at - 1))) at--
  return isBetweenAscii(text, at) ? at : characterAt(text, at)
}

/** The end of the word after the cursor. */
export function wordEnd({ text, cursor }: Draft): number {
  let at = cursor
  while (at < text.length && !isLetter(text.charCodeAt(at))) at++
  while (at < text.length && isLetter(text.charCodeAt(at))) at++
  return isBetweenAscii(text, at) || characterAt(text, at) === at ? at : characterEnd(text, at)
}

/** The beginning of what stands before the cursor without a blank in it, as `unix-word-rubout` (^W) has it. */
export function blankWordStart({ text, cursor }: Draft): number {
  let at = cursor
  while (at > 0 && isSpace(text.charCodeAt(at - 1))) at--
  while (at > 0 && !isSpace(text.charCodeAt(at - 1))) at--
  return at
}

const isBetweenAscii = (text: string, at: number): boolean =>
  text.charCodeAt(at - 1) < 0x80 && text.charCodeAt(at) < 0x80

/** A word may have 65,536 units, and a key may be held down: each of them is looked up, not matched. */
const isLetter = (unit: number): boolean => letters()[unit] === 1

let known: Uint8Array | undefined

/** 1 for the UTF-16 units that are letters, digits or their marks. Those of surrogate pairs, mostly emoji, are not. */
function letters(): Uint8Array {
  if (known) return known
  known = new Uint8Array(0x10000)
  const units = Array.from({ length: 0xd800 }, (_, unit) => String.fromCharCode(unit)).join('')
  for (const { index, 0: run } of units.matchAll(/[\p{L}\p{N}\p{M}]+/gu))
    known.fill(1, index, index + run.length)
  // Above the surrogates there are letters too: Arabic and fullwidth forms.
  for (let unit = 0xf900; unit < 0x10000; unit++)
    if (/[\p{L}\p{N}]/u.test(String.fromCharCode(unit))) known[unit] = 1
  return known
}

/** What `trim` takes away (ECMA-262, WhiteSpace and LineTerminator), as UTF-16 units. A word may have 65,536 of them. */
export function isSpace(unit: number): boolean {
  if (unit < 0x1680) return unit === 0x20 || (unit >= 0x09 && unit <= 0x0d) || unit === 0xa0
  if (unit > 0x3000) return unit === 0xfeff
  return RARE_SPACES.has(unit)
}

const RARE_SPACES: ReadonlySet<number> = new Set([
  0x1680, 0x2000, 0x2001, 0x2002, 0x2003, 0x2004, 0x2005, 0x2006, 0x2007, 0x2008, 0x2009, 0x200a, 0x2028,
  0x2029, 0x202f, 0x205f, 0x3000,
])
