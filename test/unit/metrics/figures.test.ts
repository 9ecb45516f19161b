import { expect, test } from 'vitest'
import { figuresOf } from '../../metrics/figures.ts'
import { measured } from './tree.ts'

const figures = (changes: Readonly<Record<string, string>> = {}) =>
  new Map(figuresOf(measured(changes)).map((figure) => [figure.name, figure]))

test('files, lines, functions with a name, exports and assertions are counted', () => {
  const found = figures({
    'src/sample.ts': `export const one = (list: readonly number[]): number => {
  return list.map((item) => item)[0]!
}

export class Two {
  three(): string {
    return ('3' as unknown as { a?: 1 }).a!.toString()
  }
}

export const four = ['!'] as const
`,
    'test/sample.test.ts': 'const five = (): void => undefined\n\nfive()\n',
  })
  expect(found.get('files')).toMatchObject({ src: 6, test: 1 })
  expect(found.get('lines')).toMatchObject({ src: 37, test: 3 })
  expect(found.get('lines of the longest function')).toMatchObject({ src: 3, test: 1 })
  expect(found.get('`!` (not null)')).toMatchObject({ src: 2, test: 0 })
  expect(found.get('`as`, without `as const`')?.src).toBe(2)
  expect(found.get('`as const`')?.src).toBe(1)
  expect(found.get('exports of a file, most')).toMatchObject({ src: 3, because: { src: 'src/sample.ts' } })
})

test('a cycle that only types close is found', () => {
  expect(figures().get('cycles of imports, types included')?.src).toBe(0)
  const changes = {
    'src/parse.ts':
      "import type { open } from './door.ts'\n\nexport const parse = (line: string): string => line.trim()\n",
  }
  expect(figures(changes).get('cycles of imports, types included')).toMatchObject({
    src: 1,
    because: { src: 'src/door.ts + src/parse.ts' },
  })
})

test('the largest parameter object is the one with most fields, inherited ones included, and is never plain data', () => {
  const changes = {
    'src/parts.ts': `
import type { LineLog } from './ports.ts'

interface Clock { readonly now: () => number }
interface Base { readonly log: LineLog; readonly clock: Clock; readonly left: 1 }
interface Parts extends Omit<Base, 'left'> { readonly motd: string; stop(): void }
type Row = { a: 1; b: 2; c: 3; d: 4; e: 5; f: 6; g: 7 }

export const serve = (parts: Parts & { readonly port: number }, row: Row): string => parts.motd + row.a
export const listen = (parts: Parts | undefined): void => parts?.stop()
`,
  }
  expect(measured(changes).src.parameterObjects).toEqual([
    { type: 'Parts & { readonly port: number }', file: 'src/parts.ts', fields: 5 },
    { type: 'Parts', file: 'src/parts.ts', fields: 4 },
  ])
})

test('a folder with many files is counted unless it is a list', () => {
  const many = (folder: string) =>
    Object.fromEntries(
      Array.from({ length: 26 }, (_, index) => [`${folder}/file-${index}.ts`, 'export {}\n']),
    )
  const name = 'folders of more than 25 files, lists apart'
  expect(figures(many('src/rooms')).get(name)).toMatchObject({ src: 1, because: { src: 'src/rooms' } })
  expect(figures(many('src/commands/verbs')).get(name)?.src).toBe(0)
})

test('a file that is not TypeScript is an error that names it', () => {
  expect(() => measured({ 'src/parse.ts': 'export const = 1\n' })).toThrow(/src\/parse\.ts cannot be parsed/)
})
