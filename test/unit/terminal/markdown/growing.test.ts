import fc from 'fast-check'
import { expect, test } from 'vitest'
import { GrowingMarkdown } from '../../../../src/terminal/markdown/growing.ts'
import type { Span } from '../../../../src/base/text/styled.ts'
import type { Unit } from '../../../../src/terminal/markdown/blocks.ts'
import { markdown } from '../../../support/markdown-tools.ts'
import { allWords, numberedMarkdown, wordsIn } from '../../../support/numbered-markdown.ts'
import { runs } from '../../../support/runs.ts'

const written = (spans: readonly Span[]): string =>
  spans
    .map(
      ({ text, ...look }) =>
        `${text}${Object.keys(look)
          .map((one) => `<${one}>`)
          .join('')}`,
    )
    .join('')

function line({ gap, lead, body }: Unit): string {
  const before = `${gap ? '\n' : ''}${lead.first}`
  switch (body.type) {
    case 'text':
      return `${before}${body.isHeading ? '# ' : ''}${written(body.read())}`
    case 'code':
      return `${before}$ ${written(body.read())}`
    case 'fence':
      return `${before}${body.isEnd ? '</code>' : '<code>'}`
    case 'row':
      return `${before}${body.cells.map((cell) => written(cell())).join(' | ')}`
    case 'rule':
      return `${before}----`
    case 'note':
      return `${before}${body.text}`
  }
}

const grow = (): GrowingMarkdown => new GrowingMarkdown(markdown.tools())

function whole(text: string): readonly string[] {
  const growing = grow()
  growing.add(text)
  growing.finish()
  return growing.units.map(line)
}

test('Markdown is split into units of paragraphs, list items, code lines and table rows', () => {
  const text = `# Title
Some **bold** \`code\` and [a link](https://x.org/a).

- one
  - two
1. first

> quoted

\`\`\`ts
let x = 1 // hi
\`\`\`

| a | b |
|---|--:|
| 1 | 2 |

---`
  expect(whole(text)).toEqual([
    '# Title',
    'Some bold<strong> code<code> and a link<link> (https://x.org/a)<link>.',
    '\n- one',
    '  - two',
    '1. first',
    '\n> quoted',
    '\n<code>',
    '$ let<role> x = 1<role> // hi<role>',
    '</code>',
    '\na | b',
    '1 | 2',
    '\n----',
  ])
})

test.each([
  ['- [x](javascript:alert(1))', ['- [x](javascript:alert(1))']],
  ['<b>&lt;&#x202e;&#27;</b>', ['<b><\ufffd</b>']],
  ['[a]: https://x.org\n[a]', ['[a]: https://x.org<link>\n[a]']],
  ['  deep\n    kept', ['deep\n    kept']],
  ['- \n\tlater', ['- later']],
  ['', []],
  ['\n\n \n', []],
])('the Markdown text %j gives the lines %j', (text, lines) => {
  expect(whole(text)).toEqual(lines)
})

test('streamed Markdown gives the same units for every chunking, and finished units never change', () => {
  fc.assert(
    fc.property(
      numberedMarkdown,
      fc.array(fc.integer({ min: 1, max: 400 }), { minLength: 1 }),
      ({ text }, sizes) => {
        const growing = grow()
        const seen: Unit[] = []
        for (let at = 0, piece = 0; at < text.length; piece++) {
          const size = sizes[piece % sizes.length] ?? 1
          growing.add(text.slice(at, at + size))
          growing.open()
          at += size
          expect(growing.units.slice(0, seen.length)).toEqual(seen)
          seen.push(...growing.units.slice(seen.length))
        }
        growing.finish()
        expect(growing.units.map(line)).toEqual(whole(text))
      },
    ),
    { numRuns: runs(200) },
  )
})

test('parsed Markdown has every word once and in order', () => {
  fc.assert(
    fc.property(numberedMarkdown, ({ text, words }) => {
      expect(wordsIn(whole(text).join('\n'))).toEqual(allWords(words))
    }),
    { numRuns: runs(300) },
  )
})
