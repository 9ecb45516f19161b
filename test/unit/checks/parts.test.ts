import { expect, test } from 'vitest'
import { largeParts, wideDoors } from '../../checks/parts.ts'

const names = (count: number): string => Array.from({ length: count }, (_, at) => `n${at}`).join(', ')

test('a part of src with more than 12,000 lines is reported, and a server with more than 7,000', () => {
  const sources = (lines: number) =>
    new Map(
      ['wrap/a', 'wrap/loop/b', 'server/a'].map((path) => [`src/${path}.ts`, 'x\n'.repeat(lines)] as const),
    )
  expect(largeParts(sources(6_000))).toEqual([])
  expect(largeParts(sources(7_001))).toEqual([
    'src/wrap: 14002 lines; at most 12000 in this part',
    'src/server: 7001 lines; at most 7000 in this part',
  ])
})

test('a door with more than 60 names or with export * is reported', () => {
  const door = (text: string) => wideDoors(new Map([['src/chat/people/index.ts', text]]))
  expect(door(`export { ${names(60)} } from './a.ts'\n`)).toEqual([])
  expect(door(`export type { ${names(61)} } from './a.ts'\n`)).toEqual([
    'src/chat/people/index.ts: 61 names; a door has at most 60',
  ])
  expect(door("export * from './a.ts'\n")).toHaveLength(1)
})
