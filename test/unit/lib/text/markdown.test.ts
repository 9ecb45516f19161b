import fc from 'fast-check'
import { expect, test } from 'vitest'
import { markdownText } from '../../../../src/lib/text/markdown.ts'
import { cleanText } from '../../../../src/lib/text/clean-text.ts'
import { parseMarkdown, seenText, typesIn } from '../../../support/markdown.ts'
import { runs } from '../../../support/runs.ts'

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

test('no text is anything but text on a page, and all of it is seen', async () => {
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
])('%j becomes %j', (text, page) => {
  expect(markdownText(cleanText(text), '  ')).toBe(page)
})
