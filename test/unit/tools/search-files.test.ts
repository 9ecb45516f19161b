import { mkdir, mkdtemp, open, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { execa } from 'execa'
import fc from 'fast-check'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { NO_LOG } from '../../../src/wrap/embedding/context.ts'
import { compilePathGlob } from '../../../src/sandbox/search/glob-pattern.ts'
import { findFiles, searchText } from '../../../src/sandbox/search/search.ts'
import { KILLED_AFTER_MS, Searcher } from '../../../src/sandbox/searcher.ts'
import { createWorkspaces } from '../../../src/sandbox/workspaces.ts'
import { paths } from '../../../src/base/paths.ts'
import { glob, grep } from '../../../src/tools/builtin/search-files.ts'
import { contextFor } from './context.ts'
import { runs } from '../../support/runs.ts'

let home: string
let files: string
let workspaces: ReturnType<typeof createWorkspaces>

const put = async (path: string, content: string | Buffer): Promise<void> => {
  await mkdir(dirname(join(files, path)), { recursive: true })
  await writeFile(join(files, path), content)
}

beforeAll(async () => {
  home = await mkdtemp(join(tmpdir(), 'sshawl-search-'))
  workspaces = createWorkspaces({ root: home, searchEntry: paths.fileSearch, mode: 'none', log: NO_LOG })
  files = join(home, 'w', 'files')
  await put('a.ts', 'one\nTODO two\r\nthree\n')
  await put('src/b.ts', 'const b = 1 // TODO\n')
  await put('src/deep/c.js', 'todo\nx\ny\nz\nTODO last')
  await put('.hidden/d.md', 'needle')
  await put('node_modules/m/index.js', 'TODO of others')
  await put('.git/config', 'TODO of git')
  await put('binary', Buffer.from([84, 79, 68, 79, 0, 1]))
  await put('-delete', 'needle')
  await put('new\nline', 'needle')
  await put('latin1.txt', Buffer.from([0x63, 0xe9, 0x0a]))
  await mkdir(join(home, 'w', 'files-secret'))
  await writeFile(join(home, 'w', 'files-secret', 'key'), 'needle TODO secret')
  await symlink(join(home, 'w', 'files-secret'), join(files, 'outdir'))
  await symlink(join(home, 'w', 'files-secret', 'key'), join(files, 'outfile'))
  await symlink('/etc', join(files, 'src', 'etc'))
  await symlink('.', join(files, 'src', 'loop'))
  await execa('mkfifo', [join(files, 'fifo')])
  const sparse = await open(join(files, 'sparse'), 'w')
  await sparse.truncate(2 * 1024 ** 3)
  await sparse.close()
})
afterAll(async () => {
  await workspaces[Symbol.asyncDispose]()
  await rm(home, { recursive: true })
})

/** The search itself in this process, which is what most tests are about. */
const here = () => {
  const limits = { ms: 20_000, entries: 1000, results: 2001 }
  return contextFor({
    ...workspaces.of('w'),
    findFiles: (query) => findFiles(files, query, limits),
    searchText: (query) => searchText(files, query, limits),
  })
}
const found = async (args: unknown) => (await glob.run(args, here())).content
const lines = async (args: unknown) => (await grep.run(args, here())).content

it.each([
  [{ pattern: '*.ts' }, ['a.ts', 'src/b.ts']],
  [{ pattern: './*.ts' }, ['a.ts', 'src/b.ts']],
  [{ pattern: '/workspace/src/*.ts' }, ['src/b.ts']],
  [{ pattern: '**/*.{ts,js}' }, ['a.ts', 'src/b.ts', 'src/deep/c.js']],
  [{ pattern: 'src/**' }, ['src/b.ts', 'src/deep/c.js']],
  [{ pattern: '*/*.[jt]s' }, ['src/b.ts']],
  [{ pattern: '*.ts', path: 'src' }, ['src/b.ts']],
  [{ pattern: 'deep/*', path: 'src' }, ['src/deep/c.js']],
  [{ pattern: '*.md' }, ['.hidden/d.md']],
  [{ pattern: 'node_modules/**' }, ['node_modules/m/index.js']],
  [{ pattern: '*', path: '.git' }, ['.git/config']],
  [{ pattern: '-delete' }, ['-delete']],
  [{ pattern: 'etc/**' }, ['No files.']],
  [{ pattern: 'key' }, ['No files.']],
  [{ pattern: 'outfile' }, ['No files.']],
  [{ pattern: 'fifo' }, ['No files.']],
  [{ pattern: 'new*' }, ['new\\u{a}line']],
  [{ pattern: '$(id)' }, ['No files.']],
])('glob finds the files for %j', async (args, expected) => {
  expect(await found(args)).toBe(expected.join('\n'))
})

it.each([
  [{ pattern: '../*' }, 'a pattern stays in the workspace: it begins with no / and has no ..'],
  [{ pattern: 'src/../../*' }, 'a pattern stays in the workspace'],
  [{ pattern: '/etc/*' }, 'a pattern stays in the workspace'],
  [{ pattern: '*', path: '..' }, "'..' is outside the workspace"],
  [{ pattern: '*', path: '/etc' }, "'/etc' is outside the workspace"],
  [{ pattern: '*', path: 'outdir' }, "'outdir' is outside the workspace"],
  [{ pattern: '*', path: 'src/etc/ssl' }, "'src/etc/ssl' is outside the workspace"],
  [{ pattern: '*', path: 'none' }, "'none' does not exist"],
  [{ pattern: 'x'.repeat(1001) }, 'pattern must be at most 1000 characters long'],
  [{ pattern: '' }, 'pattern must be at least 1 characters long'],
  [{ pattern: '[z-a]' }, "'[z-a]' is no pattern: "],
])('glob refuses %j', async (args, message) => {
  expect(await found(args)).toContain(`ERROR: glob: ${message}`)
})

it.each([
  ['*.ts', 'a/b/c.ts', true],
  ['a/*.ts', 'a/b/c.ts', false],
  ['a/**/c.ts', 'a/c.ts', true],
  ['a/**/c.ts', 'a/b/b/c.ts', true],
  ['**/b/*', 'b/c', true],
  ['a?c', 'abc', true],
  ['x/a?c', 'x/a/c', false],
  ['[!a]', 'b', true],
  ['[!a]', 'a', false],
  ['x/[!a]c', 'x//c', false],
  ['[]]', ']', true],
  ['{a,{b,c}}.x', 'c.x', true],
  ['{a', '{a', true],
  ['a}', 'a}', true],
  ['a,b', 'a,b', true],
  ['\\*', '*', true],
  ['\\*', 'a', false],
  ['[', '[', true],
  ['😀?', '😀😀', true],
  ['a.c', 'abc', false],
  ['(a|b)+$^', '(a|b)+$^', true],
])('the glob pattern %s matches the path %s: %s', (pattern, path, expected) => {
  expect(compilePathGlob(pattern)(path)).toBe(expected)
})

it('a glob pattern with two hundred wildcards finishes on a long path', () => {
  const fits = compilePathGlob(`${'*a'.repeat(200)}b`)
  expect(fits('a'.repeat(4000))).toBe(false)
})

it('a glob pattern throws only a WorkspaceError', () => {
  fc.assert(
    fc.property(
      fc.string({ unit: fc.constantFrom(...Array.from('*?[]!{},\\/a-^é😀')), maxLength: 20 }),
      (pattern) => {
        try {
          compilePathGlob(pattern)('a/b')
        } catch (error) {
          expect(error).toMatchObject({ name: 'WorkspaceError' })
        }
      },
    ),
    { numRuns: runs(2000) },
  )
})

it('grep answers with the matching lines in order and skips binary files', async () => {
  expect(await lines({ pattern: 'TODO' })).toBe(
    ['a.ts:2:TODO two', 'src/b.ts:1:const b = 1 // TODO', 'src/deep/c.js:5:TODO last'].join('\n'),
  )
})

it.each([
  [{ pattern: '^todo$', ignore_case: true }, ['src/deep/c.js:1:todo']],
  [{ pattern: 'TODO', path: 'src' }, ['src/b.ts:1:const b = 1 // TODO', 'src/deep/c.js:5:TODO last']],
  [{ pattern: 'TODO', path: 'a.ts' }, ['a.ts:2:TODO two']],
  [{ pattern: 'TODO', glob: '*.js' }, ['src/deep/c.js:5:TODO last']],
  [{ pattern: 'TODO', path: 'node_modules' }, ['node_modules/m/index.js:1:TODO of others']],
  [{ pattern: 'c.', path: 'latin1.txt' }, ['latin1.txt:1:c\uFFFD']],
  [{ pattern: 'needle', path: 'new\nline' }, ['new\\u{a}line:1:needle']],
  [{ pattern: '= 1 //', literal: true }, ['src/b.ts:1:const b = 1 // TODO']],
  [
    { pattern: '.*', literal: true },
    ['No matches in 7 files; 2 passed over that are not text or cannot be read.'],
  ],
  [
    { pattern: 'TODO', path: 'sparse' },
    ['No matches in 0 files; 1 passed over that are not text or cannot be read.'],
  ],
  [{ pattern: 'secret' }, ['No matches in 7 files; 2 passed over that are not text or cannot be read.']],
  [
    { pattern: 'x|last', path: 'src/deep', context: 1 },
    [
      'src/deep/c.js-1-todo',
      'src/deep/c.js:2:x',
      'src/deep/c.js-3-y',
      'src/deep/c.js-4-z',
      'src/deep/c.js:5:TODO last',
    ],
  ],
  [
    { pattern: 'todo|last', path: 'src/deep', context: 1 },
    ['src/deep/c.js:1:todo', 'src/deep/c.js-2-x', '--', 'src/deep/c.js-4-z', 'src/deep/c.js:5:TODO last'],
  ],
])('grep finds the lines for %j', async (args, expected) => {
  expect(await lines(args)).toBe(expected.join('\n'))
})

it.each([
  [
    { pattern: '(a' },
    'the pattern is no regular expression of RE2: missing closing ): `(a`; with literal it is taken as it is',
  ],
  [{ pattern: '(a)\\1' }, 'the pattern is no regular expression of RE2: '],
  [{ pattern: '((((a{99}){99}){99}){99})' }, 'the pattern is no regular expression of RE2: '],
  [{ pattern: 'x', path: '../files-secret' }, "'../files-secret' is outside the workspace"],
  [{ pattern: 'x', path: 'outdir/key' }, "'outdir/key' is outside the workspace"],
  [{ pattern: 'x', glob: '../*' }, 'a pattern stays in the workspace'],
  [{ pattern: 'x', context: 11 }, 'context must be between 0 and 10, got 11'],
])('grep refuses %j', async (args, message) => {
  expect(await lines(args)).toContain(`ERROR: grep: ${message}`)
})

it('grep shows the matching part of a very long line', async () => {
  await put('long/one-line', `${'x'.repeat(3_000_000)}needle${'y'.repeat(3_000_000)}`)
  const answer = await lines({ pattern: 'xneedle', path: 'long' })
  expect(answer).toMatch(/^long\/one-line:\d+:…x+needley+…$/)
  expect(answer.length).toBeLessThan(600)
})

it('grep stops at 2000 results with a notice', async () => {
  await put('many/lines', 'needle\n'.repeat(5000))
  const answer = await lines({ pattern: 'needle', path: 'many' })
  expect(answer.split('\n')).toHaveLength(2001)
  expect(answer).toMatch(/\n\[cut: more than 2000 were found; make the search narrower\]$/)
})

it('grep finishes a pathological regular expression on a large file', async () => {
  await put('evil/a', 'a'.repeat(1_000_000))
  expect(await lines({ pattern: '(a*)*(a|aa)+$b', path: 'evil' })).toBe('No matches in 1 file.')
})

it('a file search stops at the limit of entries with a notice', async () => {
  const limits = { ms: 10_000, entries: 3, results: 100 }
  const { cut } = await findFiles(files, { pattern: '**' }, limits)
  expect(cut).toBe('only 3 files and directories were looked at')
})

it('a file search ends at its time limit with a notice', async () => {
  const query = { pattern: 'x', literal: false, ignoreCase: false, context: 0 }
  const { cut } = await searchText(files, query, { ms: 0, entries: 100, results: 100 })
  expect(cut).toBe('it was stopped after 0 s; search a smaller part')
})

it('a file search in its own process gives the same results', async () => {
  const context = contextFor(workspaces.of('w'))
  expect((await glob.run({ pattern: '*.ts' }, context)).content).toBe('a.ts\nsrc/b.ts')
  expect((await grep.run({ pattern: 'TODO', path: 'a.ts' }, context)).content).toBe('a.ts:2:TODO two')
  expect((await grep.run({ pattern: '(a', path: 'a.ts' }, context)).content).toMatch(
    /^ERROR: grep: the pattern/,
  )
})

it('a file search that exceeds its time is killed with an error', async () => {
  const searcher = new Searcher(paths.fileSearch, { ms: 1 - KILLED_AFTER_MS, entries: 10, results: 10 })
  const answer = searcher.findFiles(files, { pattern: '*' }, new AbortController().signal)
  await expect(answer).rejects.toThrow('this takes too much time or memory; search a smaller part')
})

it('a file search is rejected when the server stops, and later ones are rejected', async () => {
  const own = createWorkspaces({ root: home, searchEntry: paths.fileSearch, mode: 'none', log: NO_LOG })
  const workspace = own.of('w')
  const query = { pattern: 'x', literal: false, ignoreCase: false, context: 0 }
  const answer = workspace.searchText(query, new AbortController().signal)
  await Promise.all([expect(answer).rejects.toThrow('the server is stopping'), own[Symbol.asyncDispose]()])
  await expect(workspace.searchText(query, new AbortController().signal)).rejects.toThrow('is stopping')
})
