import { z } from 'zod'
import { visibleLine } from '../../lib/text/visible-text.ts'
import { defineTool } from '../define-tool.ts'
import { ArgumentError } from '../arguments.ts'
import { replaceShown } from '../shown-text.ts'
import { ok } from '../result.ts'

/** One exact replacement in a file. */
export const editFile = defineTool({
  id: 'edit_file',
  title: 'Edit File',
  description:
    'Replaces one piece of a text file. old_text must be in it exactly once, blanks included, as reading shows it: take in lines around it.',
  access: 'write',
  input: z.strictObject({ file_path: z.string().min(1), old_text: z.string().min(1), new_text: z.string() }),
  parameters: {
    file_path: 'In the workspace.',
    old_text: 'What is there now.',
    new_text: 'What replaces it; may be empty.',
  },
  verbatim: ['old_text', 'new_text'],
  files: ['file_path'],
  asks: async ({ file_path, old_text, new_text }, { workspace }) => {
    replaceIn(file_path, old_text, new_text)((await workspace.readText(file_path)).text)
    const detail = `edit ${visibleLine(file_path)}:\n${marked('-', old_text)}\n${marked('+', new_text)}`
    return { target: file_path, detail, asked: `edit '${visibleLine(file_path)}'?` }
  },
  run: async ({ file_path, old_text, new_text }, { workspace }) => {
    await workspace.changeText(file_path, replaceIn(file_path, old_text, new_text))
    return ok(`Edited ${file_path}.`)
  },
})

/** Throws `ArgumentError`: the file is not there, or the old text is not in it exactly once. */
const replaceIn =
  (path: string, before: string, after: string) =>
  (old: string | undefined): string => {
    if (old === undefined) throw new ArgumentError(`'${path}' does not exist; write_file makes new files`)
    return replaceShown(path, old, { before, after })
  }

const marked = (mark: string, text: string): string =>
  text
    .split('\n')
    .map((line) => `${mark} ${line}`)
    .join('\n')
