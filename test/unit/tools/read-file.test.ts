import { symlink, writeFile, readFile as readBytes } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import * as fc from 'fast-check'
import { readFile, editFile } from '../../../src/tools/builtin/files.ts'
import { openWorkspace, type OneWorkspace } from '../../support/workspace.ts'
import { contextFor } from './context.ts'
import { cleanText } from '../../../src/base/text/clean-text.ts'
import { runs } from '../../support/runs.ts'
import { anyCharacter } from '../../support/any-character.ts'

const room = await openWorkspace()
await writeFile(join(room.files, 'a.txt'), 'one\r\ntwo\nthree')
await writeFile(join(room.files, 'empty'), '')
await symlink('/etc/passwd', join(room.files, 'out'))
afterAll(() => room[Symbol.asyncDispose]())

const read = async (args: object) => (await readFile.run(args, contextFor(room.workspace))).content

it('read_file gives a range of lines, both ends included, with their original line ends', async () => {
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
])('read_file refuses %j with a hint', async (args, message) => {
  expect(await read(args)).toBe(`ERROR: read_file: ${message}`)
})

describe('reading and editing', () => {
  let room: OneWorkspace
  beforeAll(async () => {
    room = await openWorkspace()
  })
  afterAll(() => room[Symbol.asyncDispose]())

  const piece = fc.oneof(
    { weight: 3, arbitrary: fc.constantFrom('\n', '\r\n', 'int main()', '\tx = 1;', '  ', 'é', 'ß', '日本') },
    {
      weight: 2,
      arbitrary: fc.constantFrom(
        ...['\r', '\f', '\v', '\u0085', '\u2028', '\uFEFF', '\u200b', '\u00ad', '\u202e', '\u{E0041}'],
        ...['\u001b[31m', '\u001b[', '\u001b]0;title', '\u0007', '\u009b1m', '\u001b\\', '\u0001'],
        ...['e\u0301', '\u0301'.repeat(7), '👩‍🚀', '🏴󠁧󠁢󠁳󠁣󠁴󠁿', '\u200d', '\uFE0F'],
      ),
    },
    { weight: 1, arbitrary: fc.string({ unit: anyCharacter, maxLength: 5 }) },
  )

  /** Any file that is text: UTF-8 without NUL. */
  const fileText = fc
    .array(piece, { maxLength: 40 })
    .map((pieces) => pieces.join('').toWellFormed().replaceAll('\0', ''))

  /** Begins and ends like no line. */
  const NEW = '⟦new⟧'

  /** As a caller reads it: the toolbox cleans every result. */
  async function shown(file_path: string, show_lines = false): Promise<string> {
    return cleanText((await readFile.run({ file_path, show_lines }, contextFor(room.workspace))).content)
  }

  it('edit_file replaces any line that read_file shows without changing other bytes', async () => {
    const path = join(room.files, 'any.txt')
    await fc.assert(
      fc.asyncProperty(fileText, fc.nat(), async (text, choice) => {
        await writeFile(path, text)
        const whole = await shown('any.txt')
        const lines = whole.split('\n').filter((line) => line !== '')
        const line = lines[choice % Math.max(1, lines.length)]
        if (line === undefined) return
        const call = { file_path: 'any.txt', old_text: line, new_text: NEW }
        const { content } = await editFile.run(call, contextFor(room.workspace))
        const after = await readBytes(path, 'utf8')
        if (whole.split(line).length > 2 || whole.indexOf(line, whole.indexOf(line) + 1) !== -1) {
          expect(content).toMatch(/more than once \(lines \d+ and \d+\)/)
          expect(after).toBe(text)
          return
        }
        expect(content).toBe('Edited any.txt.')
        const [left = '', right = ''] = after.split(NEW)
        const replaced = text.slice(left.length, text.length - right.length)
        expect(left + replaced + right).toBe(text)
        expect(cleanText(replaced)).toBe(line)
      }),
      { numRuns: runs(150) },
    )
  })

  it('read_file and edit_file use the same line numbers', async () => {
    await writeFile(join(room.files, 'twice'), 'x\r\nsame\r\ny\rsame\r\n')
    expect(await shown('twice', true)).toBe('1: x\n2: same\n3: y\nsame\n')
    const call = { file_path: 'twice', old_text: 'same', new_text: 'other' }
    const { content } = await editFile.run(call, contextFor(room.workspace))
    expect(content).toContain('(lines 2 and 3)')
  })
})
