import { expect, test } from 'vitest'
import { importCircles } from '../../checks/circles.ts'

test('files that import one another are reported once, even if they import only types', () => {
  const sources = new Map([
    ['src/alone.ts', "import { a } from './lib/a.ts'\n"],
    ['src/lib/a.ts', "import type { B } from '../b.ts'\n"],
    ['src/b.ts', "export type { C } from './c.ts'\n"],
    ['src/c.ts', "export type C = import('./lib/a.ts').A\n"],
  ])
  expect(importCircles(sources)).toEqual(['a circle of imports: src/b.ts, src/c.ts, src/lib/a.ts'])
  sources.delete('src/c.ts')
  expect(importCircles(sources)).toEqual([])
})
