import { z } from 'zod'
import { defineTool } from '../define-tool.ts'
import { ArgumentError } from '../arguments.ts'
import { withPermission } from '../permission.ts'
import { ok } from '../tool.ts'

/** One exact replacement in a file. */
export const editFile = defineTool({
  id: 'edit_file',
  title: 'Edit File',
  description:
    'Replaces one piece of a text file in the workspace. old_text must be in the file exactly once, ' +
    'blanks included: take in lines around it until it is. A copy of the old file is kept.',
  access: 'write',
  input: z.strictObject({ file_path: z.string().min(1), old_text: z.string().min(1), new_text: z.string() }),
  parameters: {
    file_path: 'Relative to the workspace.',
    old_text: 'What is there now, exactly.',
    new_text: 'What is to be there; may be empty.',
  },
  run: async ({ file_path, old_text, new_text }, context) => {
    const replace = (old: string | undefined): string => replaceOnce(file_path, old, old_text, new_text)
    replace((await context.workspace.readText(file_path)).text)
    const question = {
      tool: 'edit_file',
      access: 'write' as const,
      target: file_path,
      asked: `edit '${file_path}'?`,
    }
    const detail = `edit ${file_path}:\n${marked('-', old_text)}\n${marked('+', new_text)}`
    return withPermission(context, { ...question, detail }, async () => {
      await context.workspace.changeText(file_path, replace)
      return ok(`Edited ${file_path}.`)
    })
  },
})

/** Neither text is a pattern. Throws `ArgumentError` unless the old text is in the file exactly once. */
function replaceOnce(path: string, text: string | undefined, before: string, after: string): string {
  if (text === undefined) throw new ArgumentError(`'${path}' does not exist; write_file makes new files`)
  const at = text.indexOf(before)
  if (at === -1) throw new ArgumentError(`old_text is not in '${path}'; read the file and copy it exactly`)
  const again = text.indexOf(before, at + 1)
  if (again !== -1) {
    const lines = [at, again].map((index) => text.slice(0, index).split('\n').length)
    throw new ArgumentError(
      `old_text is in '${path}' more than once (lines ${lines.join(' and ')}); take in more around it`,
    )
  }
  return text.slice(0, at) + after + text.slice(at + before.length)
}

const marked = (mark: string, text: string): string =>
  text
    .split('\n')
    .map((line) => `${mark} ${line}`)
    .join('\n')
