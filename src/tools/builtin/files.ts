import { z } from 'zod'
import { ArgumentError } from '../arguments.ts'
import { defineTool } from '../define-tool.ts'
import { linesOf, replaceShown } from '../file-text.ts'
import { ok } from '../results/result.ts'
import { lineDiff } from '../../base/text/line-diff.ts'
import { pictureText } from '../../words/picture.ts'
import { visibleLine } from '../../base/text/visible-text.ts'
import { WorkspaceError } from '../../words/errors.ts'
import type { Workspace } from '../workspace.ts'

const filePath = z.string().min(1).describe('In the workspace.')

export const readFile = defineTool({
  id: 'read_file',
  title: 'Read File',
  description: 'Reads a text file, or some of its lines.',
  access: 'read',
  input: z.strictObject({
    file_path: filePath,
    start_line: z.int().min(1).describe('First line, from 1.').optional(),
    end_line: z.int().min(1).describe('Last line, included.').optional(),
    show_lines: z.boolean().describe('Number the lines.').default(false),
  }),
  run: async ({ file_path, start_line, end_line, show_lines }, context) => {
    if (start_line && end_line && end_line < start_line) {
      throw new ArgumentError(`end_line must be at least start_line (${start_line}), got ${end_line}`)
    }
    const wanted = { first: start_line, last: end_line }
    const { text, firstLine, totalLines } = await context.workspace.readText(file_path, wanted)
    if (start_line && start_line > Math.max(1, totalLines)) {
      throw new ArgumentError(
        `start_line must be at most ${totalLines}, the last line of ${file_path}, got ${start_line}`,
      )
    }
    if (!show_lines) return ok(text)
    const lines = linesOf(text).map((line, index) => `${firstLine + index}: ${line}`)
    return ok(lines.join(''))
  },
})

/** `[limits] picture_mb` unless the caller says otherwise. */
const PICTURE_BYTES = 5 * 1024 * 1024

export const lookAt = defineTool({
  id: 'look_at',
  title: 'Look At',
  description: 'Shows a picture (PNG, JPEG, WebP or GIF) to a model that takes pictures; else its measures.',
  access: 'read',
  input: z.strictObject({ file: filePath }),
  files: ['file'],
  run: async ({ file }, { workspace, limits }) => {
    const picture = await workspace.readPicture(file, limits.pictureBytes ?? PICTURE_BYTES)
    return { ...ok(pictureText(picture)), pictures: [picture] }
  },
})

export const writeFile = defineTool({
  id: 'write_file',
  title: 'Write File',
  description: 'Writes a whole text file. Of an old one a copy is kept. edit_file changes a part.',
  access: 'write',
  input: z.strictObject({ file_path: filePath, content: z.string().describe('The whole text.') }),
  verbatim: ['content'],
  files: ['file_path'],
  asks: async ({ file_path, content }, { workspace }) => {
    await workspace.checkChange(file_path)
    return {
      target: file_path,
      detail: writeDetail(file_path, await oldText(workspace, file_path), content),
      asked: `write '${visibleLine(file_path)}'?`,
    }
  },
  run: async ({ file_path, content }, { workspace }) => {
    const { created } = await workspace.changeText(file_path, () => content)
    return ok(`${created ? 'Made' : 'Replaced'} ${file_path}.`)
  },
})

export const editFile = defineTool({
  id: 'edit_file',
  title: 'Edit File',
  description:
    'Replaces one piece of a text file. old_text must be in it exactly once, blanks included, as reading shows ' +
    'it: take in lines around it.',
  access: 'write',
  input: z.strictObject({
    file_path: filePath,
    old_text: z.string().min(1).describe('What is there now.'),
    new_text: z.string().describe('What replaces it; may be empty.'),
  }),
  verbatim: ['old_text', 'new_text'],
  files: ['file_path'],
  asks: async ({ file_path, old_text, new_text }, { workspace }) => {
    const old = (await workspace.readText(file_path)).text
    const changes = lineDiff(old, replaceIn(file_path, old_text, new_text)(old))
    const detail = `edit ${visibleLine(file_path)}:\n${changes ?? bothTexts(old_text, new_text)}`
    return { target: file_path, detail, asked: `edit '${visibleLine(file_path)}'?` }
  },
  run: async ({ file_path, old_text, new_text }, { workspace }) => {
    await workspace.changeText(file_path, replaceIn(file_path, old_text, new_text))
    return ok(`Edited ${file_path}.`)
  },
})

/** Throws `ArgumentError` if the file is missing, or does not contain the old text exactly once. */
const replaceIn =
  (path: string, before: string, after: string) =>
  (old: string | undefined): string => {
    if (old === undefined) throw new ArgumentError(`'${path}' does not exist; write_file makes new files`)
    return replaceShown(path, old, { before, after })
  }

/** A longer difference is replaced by the new text: a question has at most 65,536 characters. */
const MAX_DIFF_CHARS = 60_000

function writeDetail(path: string, old: string | undefined, text: string): string {
  const name = visibleLine(path)
  if (old === undefined) return `write ${name}:\n${text}`
  const changes = lineDiff(old, text)
  if (changes === '') return `write ${name} with the text that it has`
  return changes === undefined || changes.length > MAX_DIFF_CHARS
    ? `replace ${name} by:\n${text}`
    : `change ${name}:\n${changes}`
}

/** Resolves to undefined for a new file, after `checkChange`. */
async function oldText(workspace: Workspace, path: string): Promise<string | undefined> {
  try {
    return (await workspace.readText(path)).text
  } catch (error) {
    if (error instanceof WorkspaceError) return undefined
    throw error
  }
}

/** For an edit that changes too much for a comparison. */
const bothTexts = (old: string, text: string): string => `${marked('-', old)}\n${marked('+', text)}`

const marked = (mark: string, text: string): string => `${mark} ${text.replaceAll('\n', `\n${mark} `)}`
