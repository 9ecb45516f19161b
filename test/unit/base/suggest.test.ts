import { expect, test } from 'vitest'
import fc from 'fast-check'
import { closest, nearestFirst } from '../../../src/base/suggest.ts'
import { compileGlob, globMatches } from '../../../src/base/glob.ts'
import { runs } from '../../support/runs.ts'

const commands = 'help history join leave rooms say tools topic who whoami wrap'.split(' ')

test.each([
  ['tolos', 'tools'],
  ['histroy', 'history'],
  ['Room', 'rooms'],
  ['WRAP', 'wrap'],
  ['wo', 'who'],
  ['hwo', 'who'],
  ['wrpa', 'wrap'],
])('the mistyped command %s suggests %s', (typed, meant) => {
  expect(closest(typed, commands)).toBe(meant)
})

test.each([
  ['bell', 'help'],
  ['time', 'me'],
  ['date', 'mute'],
  ['last', 'ask'],
  ['lang', 'ban'],
])('the ordinary word %s does not suggest the command %s', (word, command) => {
  expect(closest(word, [command])).toBeUndefined()
})

test.each(['', 'xyzzy', 'q', 'x'.repeat(100_000)])('the word %.10j suggests no command', (typed) => {
  expect(closest(typed, commands)).toBeUndefined()
})

test('the first of equally near commands is suggested', () => {
  expect(closest('bat', ['cat', 'hat'])).toBe('cat')
  expect(closest('bat', ['hat', 'cat'])).toBe('hat')
})

test('nearestFirst sorts by distance, ignores case and keeps the order of equally near words', () => {
  expect(nearestFirst('TOLOS', commands).slice(0, 2)).toEqual(['tools', 'rooms'])
  expect(nearestFirst('', ['bb', 'aa', 'c'])).toEqual(['c', 'bb', 'aa'])
  expect(nearestFirst('x'.repeat(100_000), ['a'.repeat(100_000), 'x'])).toEqual(['x', 'a'.repeat(100_000)])
})

const points = (text: string): readonly string[] => Array.from(text)

/** The same question by the definition, exponential and obviously right. */
function slowly(pattern: readonly string[], text: readonly string[]): boolean {
  const [first, ...rest] = pattern
  if (first === undefined) return text.length === 0
  if (first === '*') return slowly(rest, text) || (text.length > 0 && slowly(pattern, text.slice(1)))
  return text.length > 0 && (first === '?' || first === text[0]) && slowly(rest, text.slice(1))
}

function counted(values: readonly string[]): { readonly values: readonly string[]; reads: number } {
  const counter = { values: [] as readonly string[], reads: 0 }
  counter.values = new Proxy(values, {
    get(target, key, receiver) {
      if (typeof key === 'string' && /^\d+$/.test(key)) counter.reads += 1
      return Reflect.get(target, key, receiver) as unknown
    },
  })
  return counter
}

test.each([
  ['holler_*', 'holler_sample', true],
  ['holler_*', 'holler', false],
  ['*_look', 'sshawl_look', true],
  ['*', '.hidden/file', true],
  ['*', '', true],
  ['?', '😀', true],
  ['?', '', false],
  ['Grep', 'grep', false],
  ['[ab]', 'a', false],
  ['a**b', 'ab', true],
])('the glob %s matched against %s gives %s', (pattern, text, expected) => {
  expect(compileGlob(pattern)(text)).toBe(expected)
})

test('the glob matcher agrees with a naive matcher on random patterns', () => {
  const letters = fc.array(fc.constantFrom('a', 'b', '*', '?', '😀'), { maxLength: 7 })
  const text = fc.array(fc.constantFrom('a', 'b', '😀'), { maxLength: 8 })
  fc.assert(
    fc.property(letters, text, (pattern, subject) => {
      expect(globMatches(pattern, subject)).toBe(slowly(pattern, subject))
      expect(compileGlob(pattern.join(''))(subject.join(''))).toBe(slowly(pattern, subject))
    }),
    { numRuns: runs(3000) },
  )
})

test('the reads of the glob matcher grow at most with the product of both lengths', () => {
  const pattern = counted(points('*a'.repeat(30) + 'b'))
  const text = counted(points('a'.repeat(500)))
  expect(globMatches(pattern.values, text.values)).toBe(false)
  expect(pattern.reads + text.reads).toBeLessThanOrEqual(3 * (61 + 1) * (500 + 1))
})

test('the glob matcher takes linear time for a pattern with one star', () => {
  for (const length of [1000, 2000, 4000]) {
    const text = counted(points('a'.repeat(length)))
    expect(globMatches(points('*b'), text.values)).toBe(false)
    expect(text.reads).toBeLessThanOrEqual(2 * length + 2)
  }
})
