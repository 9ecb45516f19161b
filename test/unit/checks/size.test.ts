import { expect, test } from 'vitest'
import { charactersOfCode, longFiles, longFunctions, wideComments } from '../../checks/size.ts'

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

test('a function of more than 80 lines is refused unless it is listed', () => {
  const long = sources('src/a.ts', `function f() {\n${lines(79)}}\nconst g = () => {\n${lines(79)}}\n`)
  const tooLong = (name: string) => `src/a.ts ${name}: a function of 81 lines; at most 80`
  expect(longFunctions(long, [])).toEqual([tooLong('f'), tooLong('g')])
  expect(longFunctions(long, ['src/a.ts f'])).toEqual([tooLong('g')])
})

test('a listed function that is no longer too long is reported', () => {
  const short = sources('src/a.ts', `const f = () => {\n${lines(78)}}\n`)
  expect(longFunctions(short, ['src/a.ts f'])).toEqual([
    'test/checks/limits.json: src/a.ts f is not too long any more; take it off the list',
  ])
})

test('characters of code are counted in src without blanks, comments and imports', () => {
  const text = `import { a } from './a.ts'\n/** What\n * it does. */\n// Why.\nconst b = a + 1\n`
  expect(charactersOfCode(sources('src/b.ts', text))).toBe('constb=a+1'.length)
  expect(charactersOfCode(sources('test/b.ts', text))).toBe(0)
})
