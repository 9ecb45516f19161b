import { ALLOWED_IN_NAMES, RECOMMENDED_SCRIPTS } from './unicode-security.ts'

/** The first character that Unicode does not recommend for names, which are all invisible ones and many look-alikes. */
export const strangeCharacter = (name: string): string | undefined =>
  Array.from(name).find((character) => !ALLOWED.test(character))

/**
 * True if the letters are of scripts that people write together: the restriction level "Moderately Restrictive"
 * (https://www.unicode.org/reports/tr39/#Restriction_Level_Detection). That is one script, alone or with Latin; Greek and Cyrillic
 * never with Latin; and Japanese, Chinese and Korean as they are written.
 */
export const scriptsGoTogether = (name: string): boolean =>
  (mixtures ??= allMixtures()).some((mixture) => mixture.test(name))

/** True if all decimal digits are of one system, such as 0-9. */
export function oneNumberSystem(name: string): boolean {
  return new Set((name.match(/\p{Nd}/gu) ?? []).map(zeroOf)).size <= 1
}

/** True if every mark stands on a letter, none stands there twice, and none is a dot on what has one. */
export const marksAreInPlace = (name: string): boolean =>
  !/(?:^|[^\p{L}\p{M}])\p{M}|(\p{M})\p{M}*\1|[\p{Soft_Dotted}ıȷl]\p{M}*\u0307/u.test(name)

/** The digits of a system stand together in Unicode, from its zero. */
function zeroOf(digit: string): number {
  let code = digit.codePointAt(0) ?? 0
  while (/\p{Nd}/u.test(String.fromCodePoint(code - 1))) code--
  return code
}

const classOf = (range: string): string =>
  range
    .split('-')
    .map((hex) => `\\u{${hex}}`)
    .join('-')

const ALLOWED = new RegExp(`^[${ALLOWED_IN_NAMES.trim().split(/\s/).map(classOf).join('')}]$`, 'u')

/** Latin goes with any other script but these, whose letters look like its own. */
const APART_FROM_LATIN: readonly string[] = ['Cyrillic', 'Greek']

/** Made when the first name is judged: that takes 20 ms, and every process loads this file. */
let mixtures: readonly RegExp[] | undefined

const allMixtures = (): readonly RegExp[] =>
  [
    ['Latin', 'Han', 'Hiragana', 'Katakana'],
    ['Latin', 'Han', 'Bopomofo'],
    ['Latin', 'Han', 'Hangul'],
    ...RECOMMENDED_SCRIPTS.trim()
      .split(/\s/)
      .map((script) => (APART_FROM_LATIN.includes(script) ? [script] : ['Latin', script])),
  ].map(
    (scripts) =>
      new RegExp(
        `^[${['Common', 'Inherited', ...scripts].map((script) => `\\p{Script_Extensions=${script}}`).join('')}]*$`,
        'u',
      ),
  )
