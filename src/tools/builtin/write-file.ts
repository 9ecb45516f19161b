import { z } from 'zod'
import { defineTool } from '../define-tool.ts'
import { withPermission } from '../permission.ts'
import { ok } from '../tool.ts'

/** A whole file, new or instead of the old one. */
export const writeFile = defineTool({
  id: 'write_file',
  title: 'Write File',
  description:
    "Writes a text file in the room's workspace: a new one, with the directories it needs, or in place of the old " +
    'one, of which a copy is kept. To change a part of a file, use edit_file. A person is asked first.',
  access: 'write',
  input: z.strictObject({ file_path: z.string().min(1), content: z.string() }),
  parameters: {
    file_path: 'Path of the file, relative to the workspace.',
    content: 'The whole new text of the file.',
  },
  run: async ({ file_path, content }, context) => {
    await context.workspace.checkChange(file_path)
    const question = {
      tool: 'write_file',
      access: 'write' as const,
      target: file_path,
      asked: `write '${file_path}'?`,
    }
    const detail = `write ${file_path}:\n${content}`
    return withPermission(context, { ...question, detail }, async () => {
      const { created } = await context.workspace.changeText(file_path, () => content)
      return ok(`${created ? 'Made' : 'Replaced'} ${file_path}.`)
    })
  },
})
