import fc from 'fast-check'

/**
 * Markdown as models write it, and worse, with words `w0`, `w1`, … `wZ`, `w10` … in it: each must be readable once, in order, wherever the
 * text is shown. Each piece is given the number of its first word and says how many it has.
 */
export interface Piece {
  readonly words: number
  readonly text: (first: number) => string
}

/**
 * The word of a number. It has four cells at most up to 46,655: so much is left to a text however deep it is nested, and so
 * no word is ever broken.
 */
export const numberedWord = (number: number): string => `w${number.toString(36).toUpperCase()}`

const joined = (first: number, count: number, between = ' '): string =>
  Array.from({ length: count }, (_, index) => numberedWord(first + index)).join(between)

const table = (columns: number, rows: number): Piece => ({
  words: columns * (rows + 1),
  text(first) {
    const row = (index: number): string => `| ${joined(first + index * columns, columns, ' | ')} |\n`
    const body = Array.from({ length: rows }, (_, index) => row(index + 1)).join('')
    return `\n\n${row(0)}|${' --- |'.repeat(columns)}\n${body}`
  },
})

const code = (lines: number): Piece => ({
  words: 2 * lines,
  text: (first) =>
    `\n\`\`\`ts\n${Array.from({ length: lines }, (_, index) => `const ${numberedWord(first + 2 * index)} = "${numberedWord(first + 2 * index + 1)}" // \n`).join('')}\`\`\`\n`,
})

const words = (count: number, before = '', after = ' '): Piece => ({
  words: count,
  text: (first) => `${before}${joined(first, count)}${after}`,
})

const sign = (text: string): Piece => ({ words: 0, text: () => text })

export const markdownPiece: fc.Arbitrary<Piece> = fc.oneof(
  { weight: 6, arbitrary: fc.integer({ min: 1, max: 30 }).map((count) => words(count)) },
  { weight: 4, arbitrary: fc.constantFrom('\n', '\n\n', '  \n').map(sign) },
  fc.constantFrom('\n- ', '\n1. ', '\n   - ', '\n> ', '\n## ', '\n    ', '\n* * *\n', '\n---\n').map(sign),
  fc.constantFrom('**', '*', '`', '~~', '[', '](', '| ', '\\', '\t', '<b>', '日本 ', '👩‍👩‍👧 ').map(sign),
  fc.constantFrom('**', '_', '`', '~~').map((mark) => words(2, mark, `${mark} `)),
  fc.constant<Piece>({ words: 1, text: (first) => `[${numberedWord(first)}](https://example.org/) ` }),
  fc
    .tuple(fc.integer({ min: 1, max: 4 }), fc.integer({ min: 0, max: 14 }))
    .map(([columns, rows]) => table(columns, rows)),
  fc.integer({ min: 0, max: 20 }).map(code),
  { weight: 1, arbitrary: fc.constant(words(1_200)) },
)

export const numberedMarkdown: fc.Arbitrary<{ readonly text: string; readonly words: number }> = fc
  .array(markdownPiece, { maxLength: 40 })
  .map((pieces) => {
    let count = 0
    const texts = pieces.map(({ words: own, text }) => {
      const first = count
      count += own
      return text(first)
    })
    return { text: texts.join(''), words: count }
  })

/** The numbers of the words in what is shown, in the order in which they are read. */
export const wordsIn = (shown: string): readonly number[] =>
  Array.from(shown.matchAll(/w([\dA-Z]+)/g), ([, number = '']) => Number.parseInt(number, 36))

export const allWords = (count: number): readonly number[] =>
  Array.from({ length: count }, (_, index) => index)
