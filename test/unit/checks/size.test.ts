import { expect, test } from 'vitest'
import { longFiles, longFunctions, wideComments } from '../../checks/size.ts'

const lines = (count: number): string => 'call()\n'.repeat(count)
const sources = (path: string, text: string) => new Map([[path, text]])

test('a file of src with more than 300 lines is reported', () => {
  expect(longFiles(sources('src/a.ts', lines(300)))).toEqual([])
  expect(longFiles(sources('src/a.ts', lines(301)))).toEqual(['src/a.ts: 301 lines; at most 300'])
  expect(longFiles(sources('test/a.ts', lines(301)))).toEqual([])
})

test('a comment of more than 110 columns is reported unless it contains a URL', () => {
  const wide = `\n// ${'word '.repeat(22)}`
  expect(wideComments(sources('test/a.ts', wide))).toEqual(['test/a.ts:2: a wide comment'])
  expect(wideComments(sources('test/a.ts', wide.replace('word', 'https://example.org')))).toEqual([])
  expect(wideComments(sources('lua/a.lua', wide.replace('//', '--')))).toHaveLength(1)
})

test('a function of more than 80 lines is reported', () => {
  const long = sources(
    'src/a.ts',
    `function f() {
${lines(79)}}
const g = () => {
${lines(78)}}
`,
  )
  expect(longFunctions(long)).toEqual(['src/a.ts f: a function of 81 lines; at most 80'])
})
