import { mkdir, symlink, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { execa } from 'execa'
import { beforeAll, expect, it } from 'vitest'
import type { FileQuery, TextQuery } from '../../../src/tools/workspace.ts'
import { WorkspaceError } from '../../../src/words/errors.ts'
import type { Examined } from './examinee.ts'

const never = new AbortController().signal

/** What searching a workspace must do: `findFiles` and `searchText`. */
export function searchExam(examined: Examined): void {
  const put = async (path: string, content: string | Buffer): Promise<void> => {
    await mkdir(dirname(join(examined().files, path)), { recursive: true })
    await writeFile(join(examined().files, path), content)
  }
  const find = (query: FileQuery, signal = never) => examined().workspace.findFiles(query, signal)
  const search = (query: Partial<TextQuery>, signal = never) =>
    examined().workspace.searchText(
      { pattern: 'TODO', literal: false, ignoreCase: false, context: 0, ...query },
      signal,
    )
  const lines = async (query: Partial<TextQuery>): Promise<readonly string[]> =>
    (await search(query)).lines.map(
      ({ path, line, text, matches }) => `${path}${matches ? ':' : '-'}${line} ${text}`,
    )

  beforeAll(async () => {
    const beside = join(dirname(examined().files), 'files-secret')
    await mkdir(beside)
    await writeFile(join(beside, 'key'), 'TODO secret')
    await put('a.ts', 'one\nTODO two\r\nthree\n')
    await put('src/b.ts', 'const b = 1 // TODO\n')
    await put('src/deep/c.js', 'todo\nx\nTODO last')
    await put('.hidden/d.md', 'needle')
    await put('binary', Buffer.from([84, 79, 68, 79, 0, 1]))
    await symlink(beside, join(examined().files, 'outdir'))
    await symlink(join(beside, 'key'), join(examined().files, 'outfile'))
    await symlink('.', join(examined().files, 'src', 'loop'))
    await execa('mkfifo', [join(examined().files, 'fifo')])
  })

  it.each([
    [{ pattern: '*.{ts,js}' }, ['a.ts', 'src/b.ts', 'src/deep/c.js']],
    [{ pattern: 'src/*' }, ['src/b.ts']],
    [{ pattern: '**/?.[jt]s', path: 'src' }, ['src/b.ts', 'src/deep/c.js']],
    [{ pattern: '{key,outfile,fifo}' }, []],
  ])('findFiles returns the regular files for %j in order', async (query, paths) => {
    expect(await find(query)).toEqual({ paths, cut: '' })
  })

  it.each([
    [{}, ['a.ts:2 TODO two', 'src/b.ts:1 const b = 1 // TODO', 'src/deep/c.js:3 TODO last']],
    [{ path: 'a.ts', pattern: 'T.*o$' }, ['a.ts:2 TODO two']],
    [{ pattern: 'T.*o$', literal: true }, []],
    [
      { glob: '*.js', path: 'src', ignoreCase: true, pattern: 'todo last', context: 1 },
      ['src/deep/c.js-2 x', 'src/deep/c.js:3 TODO last'],
    ],
  ])('searchText returns the lines for %j in order', async (query, expected) => {
    expect(await lines(query)).toEqual(expected)
  })

  it('searchText returns the numbers of read and skipped files', async () => {
    expect(await search({ pattern: 'nothing of this' })).toEqual({ lines: [], files: 4, skipped: 1, cut: '' })
  })

  it('a workspace search refuses outside paths, missing paths and invalid patterns', async () => {
    const refused: readonly (readonly [Promise<unknown>, RegExp])[] = [
      [find({ pattern: '*', path: 'outdir' }), /outside/],
      [find({ pattern: '*', path: 'none' }), /does not exist/],
      [find({ pattern: '../*' }), /stays in the workspace/],
      [search({ pattern: '(a' }), /no regular expression/],
      [search({ path: 'outdir/key' }), /outside/],
    ]
    for (const [outcome, message] of refused) {
      const error = await outcome.catch((thrown: unknown) => thrown)
      expect(error).toBeInstanceOf(WorkspaceError)
      expect(String(error)).toMatch(message)
    }
  })

  it('a workspace search finishes on pathological patterns', async () => {
    await put(`evil/${'a'.repeat(250)}`, 'a'.repeat(500_000))
    expect((await find({ pattern: `${'*a'.repeat(100)}b` })).paths).toEqual([])
    expect(await lines({ pattern: '(a*)*(a|aa)+$b', path: 'evil' })).toEqual([])
  })

  it('searchText reports that it left out results', async () => {
    await put('many/lines', 'needle\n'.repeat(5000))
    const { lines: some, cut } = await search({ pattern: 'needle', path: 'many' })
    expect(some.length).toBeLessThan(5000)
    expect(cut).toMatch(/more than \d+ were found/)
  })

  it("a workspace search ends with the reason of the caller's abort", async () => {
    const stop = new AbortController()
    const both = [find({ pattern: '*' }, stop.signal), search({}, stop.signal)]
    stop.abort(new Error('enough'))
    for (const one of await Promise.allSettled(both))
      expect(one).toMatchObject({ status: 'rejected', reason: { message: 'enough' } })
  })
}
