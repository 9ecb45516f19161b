import fc from 'fast-check'

/** The first code point of the surrogates, and how many of these there are: alone they are no characters. */
const SURROGATES = { first: 0xd800, count: 0x800 }

const CODE_POINTS = 0x11_0000

/**
 * Any Unicode character, the unit of texts that may be anything: `fc.string({ unit: anyCharacter })`. It gives exactly what
 * fast-check's own `binary` does, which keeps a table of a million strings: a second of processor time and 90 MB in each process.
 */
export const anyCharacter: fc.Arbitrary<string> = fc
  .nat({ max: CODE_POINTS - SURROGATES.count - 1 })
  .map(characterAt, placeOf)

function characterAt(place: number): string {
  return String.fromCodePoint(place < SURROGATES.first ? place : place + SURROGATES.count)
}

function placeOf(character: unknown): number {
  const codePoint = typeof character === 'string' ? character.codePointAt(0) : undefined
  if (codePoint === undefined || String.fromCodePoint(codePoint) !== character)
    throw new Error('this is not one character')
  if (!character.isWellFormed()) throw new Error('half a character is none')
  return codePoint < SURROGATES.first ? codePoint : codePoint - SURROGATES.count
}
