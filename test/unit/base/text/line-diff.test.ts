import fc from 'fast-check'
import { expect, it } from 'vitest'
import { lineDiff } from '../../../../src/base/text/line-diff.ts'

const lines = (first: number, last: number): string[] =>
  Array.from({ length: last - first + 1 }, (_, at) => `line ${first + at}`)
const textOf = (all: readonly string[]): string => all.map((line) => `${line}\n`).join('')

it('a difference shows three lines around each change and counts the others', () => {
  const old = textOf(lines(1, 40))
  expect(lineDiff(old, old.replace('line 20\n', 'LINE 20\nmore\n'))?.split('\n')).toEqual([
    '… 16 lines as before',
    ...['  17  line 17', '  18  line 18', '  19  line 19'],
    ...['- 20  line 20', '+ 20  LINE 20', '+ 21  more'],
    ...['  22  line 21', '  23  line 22', '  24  line 23'],
    '… 17 lines as before',
  ])
})

it.each([
  ['a new text', '', 'a\n', '+ 1  a'],
  ['a removed text', 'a\n', '', '- 1  a'],
  ['an empty line', 'a\n', 'a\n\n', '  1  a\n+ 2'],
  ['a missing line end', 'a\nb', 'a\nb\n', '  1  a\n- 2  b\n(no newline at the end)\n+ 2  b'],
  ['a text of Windows', 'a\r\nb\r\n', 'a\r\nc\r\n', '  1  a\n- 2  b\n+ 2  c'],
  ['other line ends', 'a\r\n', 'a\n', '- 1  a\r\n+ 1  a'],
  ['equal texts', 'a', 'a', ''],
])('a difference shows %s', (_what, before, after, shown) => expect(lineDiff(before, after)).toBe(shown))

it('texts that differ in more than 400 lines have no difference', () =>
  expect(lineDiff('', textOf(lines(1, 401)))).toBeUndefined())

it('the marked lines of any difference turn the old text into the new one', () => {
  const text = fc
    .array(fc.constantFrom('a', 'b', ''), { maxLength: 30 })
    .map((all) => textOf(all.map((line) => line)))
  fc.assert(
    fc.property(text, text, (old, fresh) => {
      const result: string[] = []
      const before = old.split('\n').slice(0, -1)
      let at = 0
      const all = lineDiff(old, fresh) ?? ''
      for (const row of all === '' ? [] : all.split('\n')) {
        const count = /^… (\d+)/.exec(row)
        const [, mark, said = ''] = /^(.) +\d+(?: {2}(.*))?$/.exec(row) ?? []
        if (count) result.push(...before.slice(at, (at += Number(count[1]))))
        else if (mark === '+') result.push(said)
        else {
          expect(before[at]).toBe(said)
          at += 1
          if (mark === ' ') result.push(said)
        }
      }
      expect(textOf(all === '' ? before : result)).toBe(fresh)
    }),
  )
})
