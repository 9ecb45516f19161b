import { mkdir, mkdtemp, open, rm, symlink, writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { execa } from 'execa'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createWorkspaces } from '../../../../src/adapters/sandbox/workspaces.ts'
import { paths } from '../../../../src/app/paths.ts'
import { readFile as readFileTool } from '../../../../src/tools/builtin/read-file.ts'
import { contextFor } from '../../tools/context.ts'

const quiet = { debug() {}, info() {}, warn() {}, error() {} }

let home: string
let files: string
let workspaces: ReturnType<typeof createWorkspaces>
const workspace = () => workspaces.of('w')

beforeAll(async () => {
  home = await mkdtemp(join(tmpdir(), 'sshawl-read-'))
  const root = join(home, 'rooms')
  files = join(root, 'w', 'files')
  workspaces = createWorkspaces({ root, searchEntry: paths.fileSearch, mode: 'none', log: quiet })
  await mkdir(join(files, 'dir'), { recursive: true })
  await mkdir(join(root, 'w', 'files-secret'))
  await writeFile(join(root, 'w', 'files-secret', 'key'), 'secret')
  await writeFile(join(files, 'a.txt'), 'one\r\ntwo\nthree')
  await writeFile(join(files, 'dir', 'b.txt'), 'b\n')
  await writeFile(join(files, 'empty'), '')
  await writeFile(join(files, 'binary'), Buffer.from([1, 0, 2]))
  await writeFile(join(files, 'latin1'), Buffer.from([0x63, 0xe9]))
  await symlink('a.txt', join(files, 'inside'))
  await symlink('dir', join(files, 'dirlink'))
  await symlink('/etc/passwd', join(files, 'out'))
  await symlink(join(root, 'w', 'files-secret'), join(files, 'outdir'))
  await symlink('nowhere', join(files, 'dangling'))
  await symlink('loop', join(files, 'loop'))
  await execa('mkfifo', [join(files, 'fifo')])
  const sparse = await open(join(files, 'sparse'), 'w')
  await sparse.truncate(2 * 1024 ** 3)
  await sparse.close()
})
afterAll(async () => {
  await workspaces[Symbol.asyncDispose]()
  await rm(home, { recursive: true })
})

describe('readText', () => {
  it.each([
    ['a.txt', 'one\r\ntwo\nthree'],
    ['./dir/../a.txt', 'one\r\ntwo\nthree'],
    ['dir//b.txt', 'b\n'],
    ['inside', 'one\r\ntwo\nthree'],
    ['dirlink/b.txt', 'b\n'],
    ['/workspace/a.txt', 'one\r\ntwo\nthree'],
    ['empty', ''],
  ])('reads %s', async (path, text) => {
    expect((await workspace().readText(path)).text).toBe(text)
  })

  it('reads a path that is absolute and inside', async () => {
    expect((await workspace().readText(join(files, 'dir', 'b.txt'))).text).toBe('b\n')
  })

  it.each([
    ['../files/a.txt', /outside/],
    ['..', /outside/],
    ['dirlink/../../x', /outside/],
    ['/etc/passwd', /outside/],
    ['out', /outside/],
    ['outdir/key', /outside/],
    ['../files-secret/key', /outside/],
    ['nothing', /does not exist/],
    ['a.txt/x', /does not exist/],
    ['dangling', /leads nowhere/],
    ['loop', /loop of links/],
    ['dir', /a directory, not a text file/],
    ['.', /a directory, not a text file/],
    ['fifo', /a FIFO, not a text file/],
    ['sparse', /too large \(2 GiB; at most 8 MiB/],
    ['binary', /not a text file/],
    ['latin1', /not a text file \(it is not UTF-8\)/],
    ['a\0b', /NUL/],
    ['x'.repeat(5000), /too long/],
    ['x'.repeat(300), /too long/],
  ])('refuses %j', async (path, message) => {
    await expect(workspace().readText(path)).rejects.toThrow(message)
  })

  it('refuses a prefix sibling that is named in full', async () => {
    await expect(workspace().readText(join(home, 'rooms', 'w', 'files-secret', 'key'))).rejects.toThrow(
      /outside/,
    )
  })

  it('refuses a socket and a device', async () => {
    const server = createServer()
    await new Promise<void>((resolve) => server.listen(join(files, 'socket'), resolve))
    await expect(workspace().readText('socket')).rejects.toThrow(/not a regular file/)
    server.close()
    const made = await execa('mknod', [join(files, 'null'), 'c', '1', '3'], { reject: false })
    if (made.failed) console.warn('SKIPPED: the device: mknod is not allowed here')
    else await expect(workspace().readText('null')).rejects.toThrow(/a device, not a text file/)
  })

  it('names no path of the machine in what it says', async () => {
    for (const path of ['out', 'nothing', 'loop', 'sparse', '../x']) {
      await expect(workspace().readText(path)).rejects.not.toThrow(home)
    }
  })

  it('makes the workspace for its owner only', async () => {
    const { stdout } = await execa('stat', ['-c', '%a', join(home, 'rooms', 'w')])
    await workspaces.of('fresh').contains('x')
    expect((await execa('stat', ['-c', '%a', join(home, 'rooms', 'fresh', 'files')])).stdout).toBe('700')
    expect(stdout).not.toBe('')
  })
})

describe('contains', () => {
  it.each([
    ['', true],
    ['new/file.txt', true],
    ['dir/../new', true],
    ['a.txt', true],
    ['new/../../x', false],
    ['out', false],
    ['outdir', false],
    ['outdir/../x', false],
    ['dangling', false],
    ['/', false],
    ['/workspacex', false],
  ])('says of %j: %s', async (path, inside) => {
    expect(await workspace().contains(path)).toBe(inside)
  })
})

describe('read_file', () => {
  const read = async (args: object) => (await readFileTool.run(args, contextFor(workspace()))).content

  it('gives lines by number, first and last included, with their own line ends', async () => {
    expect(await read({ file_path: 'a.txt', start_line: 2 })).toBe('two\nthree')
    expect(await read({ file_path: 'a.txt', end_line: 1 })).toBe('one\r\n')
    expect(await read({ file_path: 'a.txt', start_line: 2, end_line: 2 })).toBe('two\n')
    expect(await read({ file_path: 'a.txt', start_line: 3, end_line: 99 })).toBe('three')
    expect(await read({ file_path: 'a.txt', start_line: 2, show_lines: true })).toBe('2: two\n3: three')
    expect(await read({ file_path: 'empty', start_line: 1 })).toBe('')
  })

  it.each([
    [{ file_path: 'a.txt', start_line: 4 }, 'start_line must be at most 3, the last line of a.txt, got 4'],
    [{ file_path: 'a.txt', start_line: 3, end_line: 2 }, 'end_line must be at least start_line (3), got 2'],
    [{ file_path: 'a.txt', start_line: 0 }, 'start_line must be at least 1, got 0'],
    [{ file_path: '' }, 'file_path must be at least 1 characters long, got ""'],
    [{}, 'file_path is required (a string)'],
    [{ file_path: 'nothing' }, "'nothing' does not exist"],
    [{ file_path: 'out' }, "'out' is outside the workspace; use a path inside it, such as src/main.c"],
  ])('answers %j with what to change', async (args, message) => {
    expect(await read(args)).toBe(`ERROR: read_file: ${message}`)
  })
})

it.each([`${'x'.repeat(255)}|y`, 'word|'.repeat(100), `a/${'é'.repeat(200)}`, 'a.txt/x'])(
  'a pattern that no file could be called (%#) leads nowhere, and so not outside',
  async (pattern) => {
    expect(await workspace().contains(pattern)).toBe(true)
    expect(await workspace().contains(`${pattern}/../../..`)).toBe(false)
  },
)
