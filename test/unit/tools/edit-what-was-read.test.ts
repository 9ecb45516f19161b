import { readFile as readBytes, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import * as fc from 'fast-check'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { cleanText } from '../../../src/lib/text/clean-text.ts'
import { editFile, readFile } from '../../../src/tools/builtin/files.ts'
import { openWorkspace, type OneWorkspace } from '../../support/workspace.ts'
import { contextFor } from './context.ts'
import { runs } from '../../support/runs.ts'
import { anyCharacter } from '../../support/any-character.ts'

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

it('edit_file takes any line as read_file shows it, and changes no byte outside of it', async () => {
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

it('read_file numbers the lines that an edit tells of', async () => {
  await writeFile(join(room.files, 'twice'), 'x\r\nsame\r\ny\rsame\r\n')
  expect(await shown('twice', true)).toBe('1: x\n2: same\n3: y\nsame\n')
  const call = { file_path: 'twice', old_text: 'same', new_text: 'other' }
  const { content } = await editFile.run(call, contextFor(room.workspace))
  expect(content).toContain('(lines 2 and 3)')
})
