import { PROTOTYPES, ALLOWED_IN_NAMES, RECOMMENDED_SCRIPTS } from './unicode-security.ts'

/** Equal skeletons make names equal (www.unicode.org/reports/tr39/#Confusable_Detection). Ignores case. */
export const skeleton = (name: string): string => toPrototypes(inSmallLetters(name))

/**
 * Returns the appearance of a name as written. It differs from the skeleton if a capital looks like another
 * letter than its lower case: `Вера` (Cyrillic) looks like `bepa`, `Ivan` like `lvan`, `AL1CE` like `alice`.
 * No name may look like another name or skeleton.
 */
export const look = (name: string): string => toPrototypes(name)

/** Maps twice, since a prototype may be a capital with a different lower case: m maps to rn, M to itself. */
const toPrototypes = (text: string): string =>
  prototypes(strokesAmongCapitals(prototypes(text)).toLowerCase())

/** The table maps I and 1 to l. If all other letters are capitals, all three are read as I. */
const strokesAmongCapitals = (text: string): string =>
  /\p{Lu}/u.test(text) && !/(?!l)\p{Ll}/u.test(text) ? text.replaceAll('l', 'i') : text

const prototypes = (text: string): string =>
  Array.from(text.normalize('NFD'), (character) => LOOKS_LIKE.get(character) ?? character)
    .join('')
    .normalize('NFD')

/** The dot of a lower-case i is not a separate mark: `İpek` becomes `ipek`. */
const inSmallLetters = (name: string): string =>
  name.normalize('NFC').toUpperCase().toLowerCase().replaceAll('i\u0307', 'i')

const characterOf = (hex: string): string => String.fromCodePoint(Number.parseInt(hex, 16))

/** Unicode maps the small palochka to i, but fonts draw it as l, and browsers treat it so. */
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

/** Returns the first character that Unicode does not recommend for names: invisible or a look-alike. */
export const strangeCharacter = (name: string): string | undefined =>
  Array.from(name).find((character) => !ALLOWED.test(character))

/**
 * UTS #39 "Moderately Restrictive": one script, alone or with Latin, but Greek and Cyrillic never with Latin;
 * and the script mixtures of Japanese, Chinese and Korean.
 */
export const scriptsGoTogether = (name: string): boolean =>
  (mixtures ??= allMixtures()).some((mixture) => mixture.test(name))

export function oneNumberSystem(name: string): boolean {
  return new Set((name.match(/\p{Nd}/gu) ?? []).map(zeroOf)).size <= 1
}

/** True if every mark is on a letter, none is repeated, and no dot is on a letter that has one. */
export const marksAreInPlace = (name: string): boolean =>
  !/(?:^|[^\p{L}\p{M}])\p{M}|(\p{M})\p{M}*\1|[\p{Soft_Dotted}ıȷl]\p{M}*\u0307/u.test(name)

/** Returns the code of the digit's zero. A system's digits are consecutive in Unicode. */
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

/** Scripts whose letters look like Latin ones. */
const APART_FROM_LATIN: readonly string[] = ['Cyrillic', 'Greek']

/** Created for the first name, because creation takes 20 ms and every process loads this file. */
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
