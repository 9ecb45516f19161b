import fc from 'fast-check'
import { expect, test } from 'vitest'
import { markdownSegments } from '../../../../src/lib/markdown.ts'

test('a usual text is one segment', () => {
  const text = '# a\n\nb\n\n```\nc\n\nd\n```\n'
  expect([...markdownSegments(text)]).toEqual([{ text, isMarkdown: true }])
  expect([...markdownSegments(' \n\n')]).toEqual([])
})

test('a long text is cut at an empty line, and code goes on as code', () => {
  const prose = `${'word '.repeat(30)}\n`.repeat(8)
  const code = `\`\`\`js\n${'x()\n\n'.repeat(600)}\`\`\`\n`
  const segments = [...markdownSegments(`${prose}\n${code}after`)]
  expect(segments.map(({ text }) => text.split('\n')[0]!.slice(0, 5))).toEqual(['word ', '```js', '```'])
  expect(segments[0]!.text).toBe(prose)
  expect(segments[1]!.text).toMatch(/\n```$/)
  expect(segments[2]!.text).toMatch(/```\nafter$/)
})

test('a line that is too long stands as it is', () => {
  const long = 'x'.repeat(60_000)
  expect([...markdownSegments(`a\n${long}\nb`)]).toEqual([
    { text: 'a', isMarkdown: true },
    { text: long, isMarkdown: false },
    { text: 'b', isMarkdown: true },
  ])
})

test('nothing is lost, and no segment is long', () => {
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
