/**
 * What a name looks like: two names with the same skeleton cannot be told apart at a glance, so only one
 * of them may exist. Compatibility forms and case are folded, then each letter or digit that is drawn like
 * another becomes that one (a hand-picked part of UTS #39 confusables). Greek letters whose capital and
 * small form resemble different Latin letters count by the small form.
 */
export function skeleton(name: string): string {
  const folded = fold(name)
  return Array.from(folded, (letter) => LOOKS_LIKE.get(letter) ?? letter)
    .join('')
    .replace(/rn/g, 'm')
    .replace(/vv/g, 'w')
}

/** True if all letters and digits are of one script; ASCII digits go with any. Japanese and Korean mix theirs. */
export function oneScript(name: string): boolean {
  const letters = name.replace(/[^\p{L}\p{M}\p{Nd}]|[0-9]/gu, '')
  return SCRIPTS.some((script) => script.test(letters))
}

const fold = (name: string): string => name.normalize('NFKC').toUpperCase().toLowerCase().normalize('NFKC')

const LOOK_ALIKES: readonly (readonly [looksLike: string, letters: string])[] = [
  ['a', 'аαɑ'],
  ['b', 'вьβʙ'],
  ['c', 'сϲ'],
  ['d', 'ԁ'],
  ['e', 'еεє'],
  ['g', 'ɡԍ'],
  ['h', 'һнհʜ'],
  ['j', 'јϳ'],
  ['k', 'кκҝқ'],
  ['l', '1iıіιӏlǀ|ⅼ'],
  ['m', 'мϻ'],
  ['n', 'пηո'],
  ['o', '0оοօσ'],
  ['p', 'рρ'],
  ['q', 'ԛգ'],
  ['r', 'гʀ'],
  ['s', 'ѕʂ'],
  ['t', 'тτ'],
  ['u', 'υцսʋ'],
  ['v', 'νѵ'],
  ['w', 'ԝωшѡ'],
  ['x', 'хχ'],
  ['y', 'уүγ'],
  ['z', 'ζᴢ'],
  ['3', 'зӡʒ'],
  ['6', 'б'],
]

const LOOKS_LIKE = new Map(
  LOOK_ALIKES.flatMap(([looksLike, letters]) =>
    Array.from(letters, (letter) => [letter, looksLike] as const),
  ),
)

const SCRIPTS: readonly RegExp[] = [
  ['Latin'],
  ['Cyrillic'],
  ['Greek'],
  ['Han', 'Hiragana', 'Katakana'],
  ['Hangul', 'Han'],
  ['Han', 'Bopomofo'],
  ['Arabic'],
  ['Hebrew'],
  ['Devanagari'],
  ['Bengali'],
  ['Gurmukhi'],
  ['Gujarati'],
  ['Oriya'],
  ['Tamil'],
  ['Telugu'],
  ['Kannada'],
  ['Malayalam'],
  ['Sinhala'],
  ['Thai'],
  ['Lao'],
  ['Tibetan'],
  ['Myanmar'],
  ['Khmer'],
  ['Georgian'],
  ['Armenian'],
  ['Ethiopic'],
  ['Mongolian'],
  ['Cherokee'],
].map((names) => new RegExp(`^[${names.map((name) => `\\p{Script_Extensions=${name}}`).join('')}]*$`, 'u'))
