import { mkdir, open, symlink, writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { dirname, join } from 'node:path'
import { execa } from 'execa'
import { beforeAll, expect, it } from 'vitest'
import { WorkspaceError } from '../../../src/words/errors.ts'
import { pngOf } from '../../support/pictures.ts'
import type { Examined } from './examinee.ts'

/** What reading in a workspace must do: `readText`, `readPicture` and `placeOf`. */
export function readExam(examined: Examined): void {
  const files = () => examined().files
  const readText = (...args: Parameters<ReturnType<Examined>['workspace']['readText']>) =>
    examined().workspace.readText(...args)
  const placeOf = (path: string) => examined().workspace.placeOf(path)
  const contains = async (path: string) => (await placeOf(path)) !== undefined
  const secret = () => join(dirname(files()), 'files-secret')

  beforeAll(async () => {
    await mkdir(join(files(), 'dir'), { recursive: true })
    await mkdir(secret())
    await writeFile(join(secret(), 'key'), 'secret')
    await writeFile(join(files(), 'a.txt'), 'one\r\ntwo\nthree')
    await writeFile(join(files(), 'dir', 'b.txt'), 'b\n')
    await writeFile(join(files(), 'empty'), '')
    await writeFile(join(files(), 'binary'), Buffer.from([1, 0, 2]))
    await writeFile(join(files(), 'latin1'), Buffer.from([0x63, 0xe9]))
    await symlink('a.txt', join(files(), 'inside'))
    await symlink('dir', join(files(), 'dirlink'))
    await symlink('/etc/passwd', join(files(), 'out'))
    await symlink(secret(), join(files(), 'outdir'))
    await symlink('nowhere', join(files(), 'dangling'))
    await symlink('loop', join(files(), 'loop'))
    await execa('mkfifo', [join(files(), 'fifo')])
    await using sparse = await open(join(files(), 'sparse'), 'w')
    await sparse.truncate(2 * 1024 ** 3)
  })

  it.each([
    ['a.txt', 'one\r\ntwo\nthree'],
    ['./dir/../a.txt', 'one\r\ntwo\nthree'],
    ['dir//b.txt', 'b\n'],
    ['inside', 'one\r\ntwo\nthree'],
    ['dirlink/b.txt', 'b\n'],
    ['/workspace/a.txt', 'one\r\ntwo\nthree'],
    ['empty', ''],
  ])('readText returns the text of %s', async (path, text) => {
    expect((await readText(path)).text).toBe(text)
  })

  it('readText accepts an absolute path inside the workspace', async () => {
    expect((await readText(join(files(), 'dir', 'b.txt'))).text).toBe('b\n')
  })

  it('readText returns the requested lines with their own line ends and the total count', async () => {
    expect(await readText('a.txt', { first: 2 })).toEqual({
      ...{ text: 'two\nthree', firstLine: 2, totalLines: 3 },
    })
    expect(await readText('a.txt', { last: 1 })).toEqual({ text: 'one\r\n', firstLine: 1, totalLines: 3 })
    expect((await readText('a.txt', { first: 2, last: 2 })).text).toBe('two\n')
    expect((await readText('a.txt', { first: 3, last: 99 })).text).toBe('three')
    expect(await readText('a.txt', { first: 9 })).toEqual({ text: '', firstLine: 9, totalLines: 3 })
    expect((await readText('empty')).totalLines).toBe(0)
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
    ['sparse', /too large \(2 GiB; at most 1 MiB/],
    ['binary', /not a text file \(it has a NUL byte in it\)/],
    ['latin1', /not a text file \(it is not UTF-8\)/],
    ['a\0b', /NUL/],
    ['x'.repeat(5000), /too long/],
    ['x'.repeat(300), /too long/],
  ])('readText refuses %j', async (path, message) => {
    const reading = readText(path)
    await expect(reading).rejects.toBeInstanceOf(WorkspaceError)
    await expect(reading).rejects.toThrow(message)
  })

  it('readText refuses a sibling directory with a similar name', async () => {
    await expect(readText(join(secret(), 'key'))).rejects.toThrow(/outside/)
  })

  it('readText refuses a socket and a device', async () => {
    const server = createServer()
    await new Promise<void>((resolve) => server.listen(join(files(), 'socket'), resolve))
    await expect(readText('socket')).rejects.toThrow(/not a regular file/)
    server.close()
    const made = await execa('mknod', [join(files(), 'null'), 'c', '1', '3'], { reject: false })
    if (made.failed) console.warn('SKIPPED: the device: mknod is not allowed here')
    else await expect(readText('null')).rejects.toThrow(/a device, not a text file/)
  })

  it('a refusal of readText names no path of the machine', async () => {
    for (const path of ['out', 'nothing', 'loop', 'sparse', '../x'])
      await expect(readText(path)).rejects.not.toThrow(dirname(files()))
  })

  it.each([
    ['', true],
    ['new/file.txt', true],
    ['dir/../new', true],
    ['a.txt', true],
    ['a.txt/x', true],
    ['new/../../x', false],
    ['out', false],
    ['outdir', false],
    ['outdir/../x', false],
    ['dangling', false],
    ['/', false],
    ['/workspacex', false],
  ])('placeOf decides whether %j is inside the workspace: %s', async (path, inside) => {
    expect(await contains(path)).toBe(inside)
  })

  it.each([
    ['.', ''],
    ['/workspace', ''],
    ['./dir/../dir//./new/x', 'dir/new/x'],
    ['dirlink/b.txt', 'dir/b.txt'],
    ['nowhere/../a.txt', 'a.txt'],
    ['inside', 'a.txt'],
  ])('placeOf resolves %j to %j', async (path, place) => {
    expect(await placeOf(path)).toBe(place)
  })

  it.each([`${'x'.repeat(255)}|y`, 'word|'.repeat(100), `a/${'é'.repeat(200)}`])(
    'placeOf accepts a name that no file can have (%#) as inside the workspace',
    async (name) => {
      expect(await contains(name)).toBe(true)
      expect(await contains(`${name}/../../..`)).toBe(false)
    },
  )

  it('readPicture reads a picture by its real path, and refuses one that is outside or too large', async () => {
    const readPicture = (path: string, maxBytes = 5000) => examined().workspace.readPicture(path, maxBytes)
    await writeFile(join(files(), 'p.png'), pngOf(64, 48))
    await writeFile(join(secret(), 'q.png'), pngOf(64, 48))
    await symlink('../p.png', join(files(), 'dir', 'link.png'))
    await symlink(join(secret(), 'q.png'), join(files(), 'q.png'))
    const { bytes, ...facts } = await readPicture('p.png')
    expect({ ...facts, bytes }).toMatchObject({
      type: 'image/png',
      width: 64,
      height: 48,
      size: bytes.length,
    })
    expect(facts).toMatchObject({ name: 'p.png', hash: expect.stringMatching(/^[0-9a-f]{64}$/) })
    expect((await readPicture('dir/link.png')).hash).toBe(facts.hash)
    for (const path of ['q.png', '../files-secret/q.png', 'outdir/q.png', 'a.txt', 'dir', 'none.png'])
      await expect(readPicture(path)).rejects.toThrow(WorkspaceError)
    await expect(readPicture('p.png', 50)).rejects.toThrow(/a picture may have 50/)
  })
}
