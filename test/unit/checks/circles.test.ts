import { expect, test } from 'vitest'
import { circleProblems } from '../../checks/circles.ts'

const sources = new Map([
  ['src/alone.ts', "import { a } from './lib/a.ts'\n"],
  ['src/lib/a.ts', "import type { B } from '../b.ts'\n"],
  ['src/b.ts', "export type { C } from './c.ts'\n"],
  ['src/c.ts', "export type C = import('./lib/a.ts').A\n"],
])
const circle = ['src/b.ts', 'src/c.ts', 'src/lib/a.ts']

test('files that import one another are reported, even if they import only types', () => {
  expect(circleProblems(sources, [])).toEqual([`a circle of imports: ${circle.join(', ')}`])
})

test('a known circle is reported once it lacks a file or has another', () => {
  const grown = [...circle, 'src/other.ts']
  expect(circleProblems(sources, [circle])).toEqual([])
  expect(circleProblems(sources, [grown])).toEqual([expect.stringContaining('not a circle any more')])
  expect(circleProblems(sources, [['src/b.ts', 'src/c.ts']])).toHaveLength(2)
})
