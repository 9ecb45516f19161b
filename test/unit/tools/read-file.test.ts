import { symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { readFile } from '../../../src/tools/builtin/files.ts'
import { openWorkspace, type OneWorkspace } from '../../support/workspace.ts'
import { contextFor } from './context.ts'

let room: OneWorkspace
beforeAll(async () => {
  room = await openWorkspace()
  await writeFile(join(room.files, 'a.txt'), 'one\r\ntwo\nthree')
  await writeFile(join(room.files, 'empty'), '')
  await symlink('/etc/passwd', join(room.files, 'out'))
})
afterAll(() => room[Symbol.asyncDispose]())

describe('read_file', () => {
  const read = async (args: object) => (await readFile.run(args, contextFor(room.workspace))).content

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
