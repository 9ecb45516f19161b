import { PROTOTYPES, ALLOWED_IN_NAMES, RECOMMENDED_SCRIPTS } from './unicode-security.ts'

/**
 * What names are filed under: two names with the same skeleton are one name. It is the skeleton of UTS #39
 * (https://www.unicode.org/reports/tr39/#Confusable_Detection), made from Unicode's own table, of the name in small letters:
 * case never matters.
 */
export const skeleton = (name: string): string => settle(inSmallLetters(name))

/**
 * What a name looks like as it is written. It differs from the skeleton where a capital looks like another letter than its
 * small form does: `Вера` (Cyrillic) is filed under its small letters and looks like `bepa`, `Ivan` like `lvan`, `AL1CE` like
 * `alice`. No two names may share a skeleton, and none may look like another's skeleton, or like another looks.
 */
export const look = (name: string): string => settle(name)

/** A prototype may be a capital whose small form looks like something else again: M looks like itself, m like rn. */
const settle = (text: string): string => prototypes(strokesAmongCapitals(prototypes(text)).toLowerCase())

/** In the table, I and 1 look like a small l. Among capitals all three read as I. */
const strokesAmongCapitals = (text: string): string =>
  /\p{Lu}/u.test(text) && !/(?!l)\p{Ll}/u.test(text) ? text.replaceAll('l', 'i') : text

const prototypes = (text: string): string =>
  Array.from(text.normalize('NFD'), (character) => LOOKS_LIKE.get(character) ?? character)
    .join('')
    .normalize('NFD')

/** The dot of a small i is no mark of its own: `İpek` in small letters is `ipek`. */
const inSmallLetters = (name: string): string =>
  name.normalize('NFC').toUpperCase().toLowerCase().replaceAll('i\u0307', 'i')

const characterOf = (hex: string): string => String.fromCodePoint(Number.parseInt(hex, 16))

/**
 * Unicode has the small palochka for an i. Fonts draw it as an l, and browsers count it as one.
 * No other letter of a name that Unicode has for an i is as tall.
 */
const PALOCHKA = ['\u04cf', 'l'] as const

const LOOKS_LIKE: ReadonlyMap<string, string> = new Map([
  ...PROTOTYPES.trim()
    .split(/\s/)
    .map((entry) => {
      const [of = '', ...like] = entry.split(':').map(characterOf)
      return [of, like.join('')] as const
    }),
  PALOCHKA,
])

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
