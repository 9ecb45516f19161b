import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import glob from 'fast-glob'
import { describe, expect, test } from 'vitest'
import { namedInVain } from '../../checks/named-in-page.ts'
import { readSources } from '../../metrics/source-files.ts'

const root = fileURLToPath(new URL('../../..', import.meta.url))
const PAGE = 'docs/architecture.md'
const text = await readFile(join(root, PAGE), 'utf8')
const sources = await readSources(root)
const paths = await glob('{src,lua,test,docs,migrations,wrapped-tools}/**/*', { cwd: root })

test('everything that the map of the source names is there', () => {
  expect(namedInVain(PAGE, text, { paths, sources })).toEqual([])
})

test('a name that the map gives for a file is missed once the file calls it otherwise', () => {
  const path = 'src/approvals/question-text.ts'
  const renamed = (sources.get(path) ?? '').replaceAll('questionText', 'textOfQuestion')
  const changed = new Map([...sources, [path, renamed]])
  expect(namedInVain(PAGE, text, { paths, sources: changed })).toEqual([
    `${PAGE}: ${path} declares no questionText`,
  ])
})

test('a file that is moved is missed', () => {
  const gone = 'src/prompt/trim.ts'
  const left = paths.filter((path) => path !== gone)
  expect(namedInVain(PAGE, text, { paths: left, sources })).toEqual([`${PAGE}: there is no ${gone}`])
})

describe('a page names', () => {
  const code = [
    'export const ONE_MS = 1',
    'interface Two {',
    '  three(): void',
    '  readonly four: string',
    '}',
    'export function five() {',
    '  six(ONE_MS)',
    '}',
  ].join('\n')
  const files = new Map([
    ['src/a/b.ts', code],
    ['lua/c.lua', 'local function seven() end'],
  ])
  const inVain = (said: string) => namedInVain('page', said, { paths: [...files.keys()], sources: files })

  test.each([
    ['a file', 'see `src/a/b.ts`'],
    ['a folder', 'see `src/a`, or `src/a/`'],
    ['files by a pattern', 'see `lua/*.lua`'],
    ['a file by its name, where its folder is named too', '`b.ts` in `src/a`'],
    ['a constant', '`ONE_MS` in `src/a/b.ts`'],
    ['several names of one file', '`ONE_MS`, `Two`, `three` and `four`, and `five` in `src/a/b.ts`'],
    ['what is to be added', '`src/a/x.ts`, `src/x/`, `wrapped-tools/X.tool`'],
    ['the first files of folders', 'each has its `ports.ts` or `index.ts`'],
  ])('%s', (_, said) => {
    expect(inVain(said)).toEqual([])
  })

  test.each([
    ['a file', 'see `src/a/c.ts`', ['page: there is no src/a/c.ts']],
    ['a file by its name, in another row', '| `src/a` |\n| `b.ts` |', ['page: there is no b.ts']],
    ['a pattern of a folder that is gone', 'see `lua/layers/*.lua`', ['page: there is no lua/layers/*.lua']],
    ['what is only called there', '`six` in `src/a/b.ts`', ['page: src/a/b.ts declares no six']],
    ['one of several', '`five`, and `six` in `src/a/b.ts`', ['page: src/a/b.ts declares no six']],
    ['part of a name', '`ONE` in `src/a/b.ts`', ['page: src/a/b.ts declares no ONE']],
  ])('in vain: %s', (_, said, problems) => {
    expect(inVain(said)).toEqual(problems)
  })
})
