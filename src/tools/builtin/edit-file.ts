import { z } from 'zod'
import { defineTool } from '../define-tool.ts'
import { ArgumentError } from '../arguments.ts'
import { replaceShown } from '../shown-text.ts'
import { ok } from '../tool.ts'

/** One exact replacement in a file. */
export const editFile = defineTool({
  id: 'edit_file',
  title: 'Edit File',
  description:
    'Replaces one piece of a text file in the workspace. old_text must be in the file exactly once, ' +
    'blanks included, as read_file shows it: take in lines around it until it is. A copy of the old file is kept.',
  access: 'write',
  input: z.strictObject({ file_path: z.string().min(1), old_text: z.string().min(1), new_text: z.string() }),
  parameters: {
    file_path: 'Relative to the workspace.',
    old_text: 'What is there now, exactly.',
    new_text: 'What is to be there; may be empty.',
  },
  verbatim: ['old_text', 'new_text'],
  asks: async ({ file_path, old_text, new_text }, { workspace }) => {
    replaceIn(file_path, old_text, new_text)((await workspace.readText(file_path)).text)
    const detail = `edit ${file_path}:\n${marked('-', old_text)}\n${marked('+', new_text)}`
    return { target: file_path, detail, asked: `edit '${file_path}'?` }
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
