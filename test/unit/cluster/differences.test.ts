import { expect, test } from 'vitest'
import { differenceTo } from '../../../src/cluster/differences.ts'

const one = { name: 'a:22', version: '1.0.0', shared: { 'host keys': 'x', 'weather.tool': 'y' } }

test('servers that are alike have nothing to tell', () => {
  expect(differenceTo(one, { ...one, name: 'b:22' })).toBeUndefined()
})

test('what differs is named, also what only one of them has', () => {
  const other = {
    name: 'b:22',
    version: '1.1.0',
    shared: { 'host keys': 'x', 'weather.tool': 'z', 'more.tool': 'w' },
  }
  expect(differenceTo(one, other)).toBe(
    'the server a:22 is not as the server b:22 with the same rooms: it runs 1.0.0, and that one 1.1.0; they differ in more.tool, weather.tool',
  )
})
