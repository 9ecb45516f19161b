import { describe, expect, test } from 'vitest'
import { READER_LIMITS, createPageReader } from '../../../src/web/page-reader.ts'
import { paths } from '../../../src/base/paths.ts'

const never = new AbortController().signal
/** These pages are read to their end, however busy the machine is; hostile-pages.test.ts is about the limits. */
const reader = createPageReader(paths.pageReader, { ...READER_LIMITS, ms: 50_000 })
const read = (html: string, format: 'markdown' | 'text' = 'markdown') =>
  reader({ html, url: 'https://site.test/a/', format }, never)
const paragraphs =
  '<p>A paragraph of some length, with commas, and more of them, so that it counts.</p>'.repeat(8)

test('the page reader returns the article without navigation, footer, scripts or hidden text', async () => {
  const { title, text } = await read(
    `<!doctype html><html><head><title>News</title><style>p{}</style></head><body><nav><a href=/>Home</a></nav>
       <article><h1>It happened</h1>${paragraphs}<div style="display:none">hidden words</div>
       <script>alert('no')</script></article><footer>About us</footer></body></html>`,
  )
  expect(title).toBe('News')
  expect(text).toContain('## It happened')
  expect(text).not.toMatch(/Home|hidden words|alert|p\{\}/)
})

test('the page reader keeps tables, lists and code', async () => {
  const { text } = await read(
    `<html><body><article>${paragraphs}<table><thead><tr><th>a</th><th>b</th></tr></thead><tbody><tr><td>1</td>
       <td>2|3</td></tr></tbody></table><ol><li>one<li>two</ol><pre><code class="language-js">let a\n  b</code></pre></article>`,
  )
  expect(text).toMatch(/\| a +\| b +\|\n\| -+ \| -+ \|\n\| 1 +\| 2\\\|3 \|/)
  expect(text).toMatch(/1\. +one\n2\. +two/)
  expect(text).toMatch(/```(js)?\nlet a\n {2}b\n```/)
})

test('the page reader makes links absolute, and keeps only the text of links without a web address', async () => {
  const { text } = await read(
    `<html><head><base href="/b/"></head><body><p><a href="x">in</a> <a href="//other.test/">out</a>
       <a href="javascript:alert(1)">run</a> <a href="data:text/html,x">data</a> <a href="#top">top</a>
       <a href="http://[bad">bad</a> <img alt="a cat" src="data:image/png;base64,AAAA"></p></body></html>`,
  )
  expect(text.replaceAll(/\s+/g, ' ')).toBe(
    '[in](https://site.test/b/x) [out](https://other.test/) run data top bad a cat',
  )
})

test('the page reader returns paragraphs without markup in the text format', async () => {
  const html =
    '<html><body><h2>Head</h2><p>A <b>bold</b> <a href=x>link</a> * _y_</p><p>Next</p></body></html>'
  expect((await read(html, 'text')).text).toBe('Head\n\nA bold link * _y_\n\nNext')
})

test.each([
  ['nothing', '', ''],
  ['no tags', 'a < b', 'a < b'],
  ['no html and body', '<p>One<p>Two', 'One\n\nTwo'],
  ['a body alone', '<body><p>One', 'One'],
  ['tags that never end', '<html><body><p>One<b', 'One'],
])('the page reader accepts a page of %s', async (_what, html, expected) => {
  expect((await read(html)).text).toBe(expected)
})

test('the page reader cuts a text off at a million characters', async () => {
  const { text, cut } = await read(`<html><body><p>${'word '.repeat(300_000)}</p></body></html>`)
  expect({ length: text.length, cut }).toEqual({ length: 1_000_000, cut: true })
})

describe('hostile pages', () => {
  const never = new AbortController().signal
  const reader = createPageReader(paths.pageReader)
  const MIB = 1024 * 1024

  const strict = createPageReader(paths.pageReader, { ...READER_LIMITS, ms: 600, heapMiB: 96 })

  test.each([
    ['elements nested without measure', '<div>'.repeat(100_000)],
    ['quotes in quotes', '<blockquote><p>a'.repeat(20_000)],
    ['half a million elements', '<br>'.repeat(MIB / 2)],
    ['a table of cells in cells', `<table>${'<tr><td>'.repeat(MIB / 4)}`],
    ['two million angle brackets', '<'.repeat(2 * MIB)],
  ])('a page that hangs the reader with %s is rejected while the server goes on', async (_what, html) => {
    let beats = 0
    const heart = setInterval(() => (beats += 1), 20)
    const reading = strict({ html, url: 'https://site.test/', format: 'markdown' }, never)
    await expect(reading).rejects.toThrow('too large or too oddly built')
    clearInterval(heart)
    expect(beats).toBeGreaterThan(3)
    expect(
      (await reader({ html: '<p>still here', url: 'https://site.test/', format: 'markdown' }, never)).text,
    ).toBe('still here')
  })

  test('a page with a huge attribute is read', async () => {
    const html = `<html><body><p title="${'a'.repeat(2 * MIB)}">x</p>`
    expect((await reader({ html, url: 'https://site.test/', format: 'markdown' }, never)).text).toBe('x')
  })

  test('reading a page that hangs the reader ends when the turn is stopped', async () => {
    const stopped = new AbortController()
    const request = { html: '<div>'.repeat(100_000), url: 'https://site.test/', format: 'text' } as const
    const reading = reader(request, stopped.signal)
    setImmediate(() => stopped.abort(new Error('stopped')))
    await expect(reading).rejects.toThrow('stopped')
  })
})
