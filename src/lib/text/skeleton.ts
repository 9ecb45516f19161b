import { PROTOTYPES } from './unicode-security.ts'

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
