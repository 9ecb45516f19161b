import { PROTOTYPES, ALLOWED_IN_NAMES, RECOMMENDED_SCRIPTS } from './unicode-security.ts'

/**
 * Two names with the same skeleton are one name (UTS #39,
 * www.unicode.org/reports/tr39/#Confusable_Detection). Case never matters.
 */
export const skeleton = (name: string): string => settle(inSmallLetters(name))

/**
 * The appearance of a name as it is written. It differs from the skeleton if a capital looks like another
 * letter than its small form: `Вера` (Cyrillic) looks like `bepa`, `Ivan` like `lvan`, `AL1CE` like `alice`.
 * No name may look like another name or skeleton.
 */
export const look = (name: string): string => settle(name)

/** A prototype may be a capital whose small form looks different: M looks like itself, m like rn. */
const settle = (text: string): string => prototypes(strokesAmongCapitals(prototypes(text)).toLowerCase())

/** In the table I and 1 look like l. Among capitals all three read as I. */
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

/** Unicode has the small palochka for an i. Fonts draw it as an l, and browsers count it as one. */
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

/** Unicode does not recommend invisible characters and many look-alikes. */
export const strangeCharacter = (name: string): string | undefined =>
  Array.from(name).find((character) => !ALLOWED.test(character))

/**
 * Restriction level "Moderately Restrictive" (UTS #39): one script, alone or with Latin; Greek and Cyrillic
 * never with Latin; Japanese, Chinese and Korean as they are written.
 */
export const scriptsGoTogether = (name: string): boolean =>
  (mixtures ??= allMixtures()).some((mixture) => mixture.test(name))

export function oneNumberSystem(name: string): boolean {
  return new Set((name.match(/\p{Nd}/gu) ?? []).map(zeroOf)).size <= 1
}

/** Every mark is on a letter, once, and no dot is on a letter that has one. */
export const marksAreInPlace = (name: string): boolean =>
  !/(?:^|[^\p{L}\p{M}])\p{M}|(\p{M})\p{M}*\1|[\p{Soft_Dotted}ıȷl]\p{M}*\u0307/u.test(name)

/** The digits of a system follow each other in Unicode. */
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

/** Their letters look like Latin ones. */
const APART_FROM_LATIN: readonly string[] = ['Cyrillic', 'Greek']

/** Made with the first name: that takes 20 ms, and every process loads this file. */
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
