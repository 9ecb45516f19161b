import { expect, test } from 'vitest'
import { closest, nearestFirst } from '../../../src/lib/suggest.ts'

const commands = [
  'help',
  'history',
  'join',
  'leave',
  'rooms',
  'say',
  'tools',
  'topic',
  'who',
  'whoami',
  'wrap',
]

test.each([
  ['tolos', 'tools'],
  ['histroy', 'history'],
  ['Room', 'rooms'],
  ['WRAP', 'wrap'],
  ['wo', 'who'],
  ['hwo', 'who'],
  ['wrpa', 'wrap'],
])('%s was meant to be %s', (typed, meant) => {
  expect(closest(typed, commands)).toBe(meant)
})

test.each([
  ['bell', 'help'],
  ['time', 'me'],
  ['date', 'mute'],
  ['last', 'ask'],
  ['lang', 'ban'],
])('%s is a word of its own, and no slip for %s', (word, command) => {
  expect(closest(word, [command])).toBeUndefined()
})

test.each(['', 'xyzzy', 'q', 'x'.repeat(100_000)])('nothing is near %.10j', (typed) => {
  expect(closest(typed, commands)).toBeUndefined()
})

test('of equally near ones the first is taken', () => {
  expect(closest('bat', ['cat', 'hat'])).toBe('cat')
  expect(closest('bat', ['hat', 'cat'])).toBe('hat')
})

test('the nearest come first, whatever their case and length; equal ones stay in their order', () => {
  expect(nearestFirst('TOLOS', commands).slice(0, 2)).toEqual(['tools', 'rooms'])
  expect(nearestFirst('', ['bb', 'aa', 'c'])).toEqual(['c', 'bb', 'aa'])
  expect(nearestFirst('x'.repeat(100_000), ['a'.repeat(100_000), 'x'])).toEqual(['x', 'a'.repeat(100_000)])
})
