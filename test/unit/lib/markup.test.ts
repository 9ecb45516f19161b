import fc from 'fast-check'
import { parseHTML } from 'linkedom'
import { expect, test } from 'vitest'
import { type Html, markup } from '../../../src/lib/markup.ts'

test('texts are escaped, markup is not, and of a list each one', () => {
  const bold = markup`<b>${'<&>'}</b>`
  expect(String(markup`<p title="${`"'`}">${bold}${['a<', bold]}${undefined}${false}${7}</p>`)).toBe(
    '<p title="&quot;&#39;"><b>&lt;&amp;&gt;</b>a&lt;<b>&lt;&amp;&gt;</b>7</p>',
  )
})

test('only the indents of a template are left out', () => {
  const text = 'a\n    b'
  expect(
    String(markup`<p>
      ${text}
    </p>`),
  ).toBe('<p>\na\n    b\n</p>')
})

test('what looks like markup is none', () => {
  const forged = { toString: () => '<b>' } as unknown as Html
  expect(() => String(markup`${forged}`)).toThrow(TypeError)
})

test('a parser finds any text again, as text and in an attribute', () => {
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
