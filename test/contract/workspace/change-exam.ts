import { chmod, mkdir, readdir, readFile, stat, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { beforeEach, expect, it } from 'vitest'
import { WorkspaceError } from '../../../src/words/errors.ts'
import type { Examined } from './examinee.ts'

/** What changing files of a workspace must do: `changeText`. Each test has a directory of its own. */
export function changeExam(examined: Examined): void {
  let count = 0
  let own: string
  beforeEach(async () => {
    own = `d${count++}`
    await mkdir(join(examined().files, own), { recursive: true })
  })
  const at = (path: string): string => join(examined().files, own, path)
  const change = (path: string, to: (old: string | undefined) => string) =>
    examined().workspace.changeText(path.startsWith('/') ? path : `${own}/${path}`, to)
  const check = (path: string) =>
    examined().workspace.checkChange(path.startsWith('/') ? path : `${own}/${path}`)
  const text = (path: string): Promise<string> => readFile(at(path), 'utf8')

  it('changeText makes a file with its parent directories and reports that it was created', async () => {
    const seen: unknown[] = []
    const made = await change('a/b/c.txt', (old) => {
      seen.push(old)
      return 'one\n'
    })
    expect([made, seen]).toEqual([{ created: true }, [undefined]])
    expect(await text('a/b/c.txt')).toBe('one\n')
    expect(await readdir(at('a/b'))).toEqual(['c.txt'])
  })

  it('changeText passes the old text to the change and keeps the mode of the file', async () => {
    await writeFile(at('run.sh'), 'x\r\n')
    await chmod(at('run.sh'), 0o750)
    expect(await change('run.sh', (old) => `${old}y`)).toEqual({ created: false })
    expect(await text('run.sh')).toBe('x\r\ny')
    expect((await stat(at('run.sh'))).mode & 0o777).toBe(0o750)
  })

  it('changeText changes nothing and makes no directory if the change throws', async () => {
    await writeFile(at('x'), 'old')
    const no = (): string => {
      throw new Error('no')
    }
    await expect(change('x', no)).rejects.toThrow('no')
    await expect(change('new/y', no)).rejects.toThrow('no')
    expect([await text('x'), await readdir(at('.'))]).toEqual(['old', ['x']])
  })

  it('checkChange accepts changeable files without making anything', async () => {
    await writeFile(at('old'), 'x')
    for (const path of ['old', 'new', 'a/b/c.txt']) await check(path)
    expect(await readdir(at('.'))).toEqual(['old'])
  })

  it('changeText passes and keeps a byte order mark', async () => {
    await writeFile(at('bom'), '\uFEFFone')
    await change('bom', (old) => `${old}, two`)
    expect(await readFile(at('bom'))).toEqual(Buffer.from('\uFEFFone, two'))
  })

  it('changeText makes concurrent changes of a file one after the other', async () => {
    await writeFile(at('list'), '')
    await Promise.all(Array.from({ length: 20 }, (_, n) => change('list', (old) => `${old}${n},`)))
    expect(await text('list')).toBe(Array.from({ length: 20 }, (_, n) => `${n},`).join(''))
  })

  it('changeText writes through a link to its target inside the workspace', async () => {
    await writeFile(at('real'), 'old')
    await symlink('real', at('link'))
    await change('link', () => 'new')
    expect(await text('real')).toBe('new')
  })

  it('changeText refuses a text over the limit and keeps the old file', async () => {
    await change('x', () => 'small')
    await expect(change('x', () => 'y'.repeat(1024 * 1024 + 1))).rejects.toThrow('at most 1 MiB')
    expect(await text('x')).toBe('small')
  })

  it.each([
    ['../../x', /outside/],
    ['/etc/x', /outside/],
    ['out/x', /outside/],
    ['dangling', /leads nowhere/],
    ['.', /is a directory/],
    ['dir', /a directory, not a text file/],
    ['new/', /is a directory/],
    ['file/x', /not a directory/],
    ['binary', /not a text file/],
    [`${'x'.repeat(250)}/${'y'.repeat(256)}`, /too long/],
  ])('changeText refuses the path %j', async (path, message) => {
    await mkdir(at('dir'))
    await writeFile(at('file'), 'x')
    await writeFile(at('binary'), Buffer.from([0]))
    await symlink('/tmp', at('out'))
    await symlink('nowhere', at('dangling'))
    const changing = change(path, () => 'pwned')
    await expect(changing).rejects.toBeInstanceOf(WorkspaceError)
    await expect(changing).rejects.toThrow(message)
    await expect(check(path)).rejects.toBeInstanceOf(WorkspaceError)
    await expect(check(path)).rejects.toThrow(message)
    expect(await text('file')).toBe('x')
  })
}
