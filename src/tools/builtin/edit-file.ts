import { z } from 'zod'
import { defineTool } from '../define-tool.ts'
import { ArgumentError } from '../arguments.ts'
import { ok } from '../tool.ts'

/** One exact replacement in a file. */
export const editFile = defineTool({
  id: 'edit_file',
  title: 'Edit File',
  description:
    "Replaces one piece of a text file in the room's workspace. old_text must stand in the file exactly once, to " +
    'the last blank; take in the lines around it until it does. A copy of the old file is kept. A person is ' +
    'asked first.',
  access: 'write',
  input: z.strictObject({ file_path: z.string().min(1), old_text: z.string().min(1), new_text: z.string() }),
  parameters: {
    file_path: 'Path of the file, relative to the workspace.',
    old_text: 'What is in the file now, exactly.',
    new_text: 'What shall be there instead; may be empty.',
  },
  verbatim: ['old_text', 'new_text'],
  asks: async ({ file_path, old_text, new_text }, { workspace }) => {
    replaceOnce(file_path, (await workspace.readText(file_path)).text, old_text, new_text)
    const detail = `edit ${file_path}:\n${marked('-', old_text)}\n${marked('+', new_text)}`
    return { target: file_path, detail, asked: `edit '${file_path}'?` }
  },
  run: async ({ file_path, old_text, new_text }, { workspace }) => {
    await workspace.changeText(file_path, (old) => replaceOnce(file_path, old, old_text, new_text))
    return ok(`Edited ${file_path}.`)
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
