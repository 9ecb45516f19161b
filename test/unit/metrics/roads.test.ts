import { expect, test } from 'vitest'
import type { Step } from '../../metrics/road.ts'
import { measured, ROAD, TREE } from './tree.ts'

const road = (changes: Readonly<Record<string, string>> = {}, steps: readonly Step[] = ROAD.steps) =>
  measured(changes, steps).roads[0]

test('a road is the files of its stations, with the port that control passes through, each once and in order', () => {
  expect(road()).toMatchObject({
    files: ['src/door.ts', 'src/parse.ts', 'src/ports.ts', 'src/store/store.ts', 'src/store/write.ts'],
    called: [],
    problems: [],
  })
})

test('a file that comes between two stations makes the road longer, though nobody named it', () => {
  const longer = road({
    'src/store/store.ts': TREE['src/store/store.ts']?.replace("'./write.ts'", "'./queue.ts'") ?? '',
    'src/store/queue.ts': `
import { write as writeNow } from './write.ts'

export const write = (line: string): void => writeNow(line)
`,
  })
  expect(longer?.problems).toEqual([])
  expect(longer?.files).toHaveLength(6)
  expect(longer?.files).toContain('src/store/queue.ts')
})

test('of two ways the one that opens fewer files is the road', () => {
  const files = road(
    {
      'src/door.ts': `
import { first } from './detour.ts'
import { write } from './store/write.ts'

export const open = (line: string): void => [first, write].forEach((one) => one(line))
`,
      'src/detour.ts': `
import { write } from './store/write.ts'

export const first = (line: string): void => write(line)
`,
    },
    [{ from: 'src/door.ts:open' }, { to: 'src/store/write.ts:write' }],
  )
  expect(files?.files).toEqual(['src/door.ts', 'src/store/write.ts'])
  expect(files?.called).toEqual(['src/detour.ts'])
})

test('what is left out of the stations is still counted among what the road calls', () => {
  const steps = ROAD.steps.filter((step) => !('aside' in step))
  expect(road({}, steps)).toMatchObject({ called: ['src/parse.ts'], problems: [] })
})

test('a station that does not exist any more is an error that names it', () => {
  const renamed = { 'src/parse.ts': 'export const understand = (line: string): string => line.trim()\n' }
  expect(road(renamed)?.problems).toEqual(['line → kept: src/parse.ts:parse does not exist (any more)'])
})

test('a stretch without a call is an error, also where a local name hides the import', () => {
  const hidden = `
import { write } from './write.ts'
import type { LineLog } from '../ports.ts'

export const flush = (): void => write('')

export function createStore(): LineLog {
  return { append: (line) => [line].forEach((write) => write.trim()) }
}
`
  expect(road({ 'src/store/store.ts': hidden })?.problems).toEqual([
    'line → kept: no call leads from src/store/store.ts:createStore to src/store/write.ts:write; name what is between them',
  ])
})

test('a type is no call', () => {
  const steps = [{ from: 'src/door.ts:open' }, { to: 'src/ports.ts:LineLog' }]
  expect(road({}, steps)?.problems).toHaveLength(1)
})

test('a hand-over is an error where the first side does not know the port', () => {
  const blind = `
import { parse } from './parse.ts'

export const open = (log: { append(line: string): void }) => (line: string) => log.append(parse(line))
`
  expect(road({ 'src/door.ts': blind })?.problems).toEqual([
    'line → kept: src/door.ts:open names no type that leads to src/ports.ts:LineLog',
  ])
})

test('a hand-over is an error where the other side does not give the port', () => {
  const other = TREE['src/store/store.ts']?.replace('): LineLog {', ') {') ?? ''
  expect(road({ 'src/store/store.ts': other })?.problems).toEqual([
    'line → kept: src/store/store.ts:createStore does not say that it returns, implements or extends src/ports.ts:LineLog',
  ])
})

test.each([
  ['an extension of the port', 'interface Store extends LineLog {}\nexport function createStore(): Store {'],
  ['a promise of the port', 'export async function createStore(): Promise<LineLog> {'],
])('a hand-over to what returns %s is real', (_, text) => {
  const store = TREE['src/store/store.ts']?.replace('export function createStore(): LineLog {', text) ?? ''
  expect(road({ 'src/store/store.ts': store })?.problems).toEqual([])
})

test('a hand-over to what another function makes is real, and a file that only gives names on is not opened', () => {
  const changes = {
    'src/store/store.ts': `
import { defineLog, write } from './index.ts'

export const createStore = defineLog((line) => write(line))
`,
    'src/store/define.ts': `
import type { LineLog } from '../ports.ts'

export const defineLog = (append: (line: string) => void): LineLog => ({ append })
`,
    'src/store/index.ts': `
export { defineLog } from './define.ts'
export { write } from './write.ts'
`,
  }
  expect(road(changes)).toMatchObject({ problems: [] })
  expect(road(changes)?.files).toHaveLength(5)
})

test('the types that a function names are opened to find the port', () => {
  const door = TREE['src/door.ts']
    ?.replace("import type { LineLog } from './ports.ts'", "import type { DoorParts } from './parts.ts'")
    .replace('log: LineLog', '{ log }: DoorParts')
  const changes = {
    'src/door.ts': door ?? '',
    'src/parts.ts':
      "import type { LineLog } from './ports.ts'\n\nexport interface DoorParts { readonly log: LineLog }\n",
  }
  expect(road(changes)?.files).toContain('src/parts.ts')
  expect(road(changes)?.problems).toEqual([])
})

test('a road goes back only to where it has been', () => {
  const back = { from: 'src/door.ts:open' }
  expect(road({}, [...ROAD.steps, back])?.problems).toEqual([])
  expect(road({}, [back, { from: 'src/parse.ts:parse' }])?.problems).toEqual([
    'line → kept: it goes back to src/parse.ts:parse, where it has not been',
  ])
})

test('a file of data counts if it is there', () => {
  const steps = [...ROAD.steps, { data: 'lua/wrap.lua' }]
  expect(road({ 'lua/wrap.lua': 'return {}\n' }, steps)?.files.at(-1)).toBe('lua/wrap.lua')
  expect(road({}, steps)?.problems).toEqual(['line → kept: lua/wrap.lua does not exist (any more)'])
})
