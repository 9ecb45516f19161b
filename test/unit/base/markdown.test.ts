import fc from 'fast-check'
import { parseHTML } from 'linkedom'
import { expect, test } from 'vitest'
import { type Html, markup } from '../../../src/base/markup.ts'
import { markdownSegments } from '../../../src/base/markdown.ts'
import { markdownText } from '../../../src/base/text/markdown.ts'
import { cleanText } from '../../../src/base/text/clean-text.ts'
import { parseMarkdown, seenText, typesIn } from '../../support/markdown.ts'
import { runs } from '../../support/runs.ts'

test('the markup tag escapes texts, keeps markup and joins lists', () => {
  const bold = markup`<b>${'<&>'}</b>`
  expect(String(markup`<p title="${`"'`}">${bold}${['a<', bold]}${undefined}${false}${7}</p>`)).toBe(
    '<p title="&quot;&#39;"><b>&lt;&amp;&gt;</b>a&lt;<b>&lt;&amp;&gt;</b>7</p>',
  )
})

test('the markup tag removes only the indentation of its template', () => {
  const text = 'a\n    b'
  expect(
    String(markup`<p>
      ${text}
    </p>`),
  ).toBe('<p>\na\n    b\n</p>')
})

test('the markup tag throws for an object that only looks like markup', () => {
  const forged = { toString: () => '<b>' } as unknown as Html
  expect(() => String(markup`${forged}`)).toThrow(TypeError)
})

test('an HTML parser reads any text back unchanged from content and attributes', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme' }), (text) => {
      const { document } = parseHTML(String(markup`<html><body><p title="${text}">${text}</p></body></html>`))
      const paragraph = document.querySelector('p')
      expect(paragraph?.textContent).toBe(text)
      expect(paragraph?.getAttribute('title')).toBe(text)
      expect(document.body.children).toHaveLength(1)
      expect(paragraph?.children).toHaveLength(0)
    }),
  )
})

test('a short Markdown text is one segment', () => {
  const text = '# a\n\nb\n\n```\nc\n\nd\n```\n'
  expect([...markdownSegments(text)]).toEqual([{ text, isMarkdown: true }])
  expect([...markdownSegments(' \n\n')]).toEqual([])
})

test('a long Markdown text is split at an empty line, and code continues as code', () => {
  const prose = `${'word '.repeat(30)}\n`.repeat(8)
  const code = `\`\`\`js\n${'x()\n\n'.repeat(600)}\`\`\`\n`
  const segments = [...markdownSegments(`${prose}\n${code}after`)]
  expect(segments.map(({ text }) => text.split('\n')[0]!.slice(0, 5))).toEqual(['word ', '```js', '```'])
  expect(segments[0]!.text).toBe(prose)
  expect(segments[1]!.text).toMatch(/\n```$/)
  expect(segments[2]!.text).toMatch(/```\nafter$/)
})

test('a line that is too long becomes a plain text segment', () => {
  const long = 'x'.repeat(60_000)
  expect([...markdownSegments(`a\n${long}\nb`)]).toEqual([
    { text: 'a', isMarkdown: true },
    { text: long, isMarkdown: false },
    { text: 'b', isMarkdown: true },
  ])
})

test('Markdown segments lose nothing and stay short', () => {
  const line = fc.oneof(
    fc.constantFrom('```', '~~~', '', '> ```', '- a', '    '),
    fc.string({ maxLength: 80 }),
  )
  const words = (text: string): string => text.replace(/[`~>\s]/g, '')
  fc.assert(
    fc.property(fc.array(line, { maxLength: 400 }), (lines) => {
      const segments = [...markdownSegments(lines.join('\n'))]
      expect(words(segments.map(({ text }) => text).join('\n'))).toBe(words(lines.join('\n')))
      for (const { text } of segments) expect(text.length).toBeLessThan(2_100)
    }),
  )
})

/** What a text may be on a page: no heading, list, quote, code, link, picture, formula, table or HTML. */
const PLAIN = new Set(['root', 'paragraph', 'text', 'break'])

const PIECES = [
  ...Array.from('\\`*_[]{}<>#~|&$^+-=:!().@ \t\n1aß'),
  ...[
    '\n\n',
    '```',
    '---',
    '===',
    '- ',
    '1. ',
    '![',
    '](',
    'https://',
    'www.',
    'a@b.cd',
    '<b>',
    '&amp;',
    '|-|',
  ],
]

test('escaped text never becomes Markdown markup and stays fully visible', async () => {
  const texts = fc.array(fc.constantFrom(...PIECES), { maxLength: 24 }).map((pieces) => pieces.join(''))
  await fc.assert(
    fc.asyncProperty(texts, async (text) => {
      const page = await parseMarkdown(`x${markdownText(`a${text}`, '')}`)
      expect([...typesIn(page)].filter((type) => !PLAIN.has(type))).toEqual([])
      const withoutBlanks = (seen: string): string => seen.replace(/\s/gu, '')
      expect(withoutBlanks(seenText(page))).toBe(withoutBlanks(`xa${text}`))
    }),
    { numRuns: runs(2_000) },
  )
})

test.each([
  ['# heading', '\\# heading'],
  ['```sh', '\\`\\`\\`sh'],
  ['[click](https://example.org)', '\\[click\\](https\\://example.org)'],
  ['a\n- b\n1. c\n===', 'a\\\n  \\- b\\\n  1\\. c\\\n  \\==='],
  ['a\n\n\nb', 'a\n\n\n  b'],
  ['if x:\n\treturn 1', 'if x:\\\n  \u00a0\u00a0\u00a0\u00a0return 1'],
  ['@qwen, mail a@b.cd', '@qwen, mail a\\@b.cd'],
  ['', ''],
])('markdownText turns %j into %j', (text, page) => {
  expect(markdownText(cleanText(text), '  ')).toBe(page)
})
