import { z } from 'zod'
import { defineTool } from '../define-tool.ts'
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
  verbatim: ['content'],
  asks: async ({ file_path, content }, { workspace }) => {
    await workspace.checkChange(file_path)
    return { target: file_path, detail: `write ${file_path}:\n${content}`, asked: `write '${file_path}'?` }
  },
  run: async ({ file_path, content }, { workspace }) => {
    const { created } = await workspace.changeText(file_path, () => content)
    return ok(`${created ? 'Made' : 'Replaced'} ${file_path}.`)
  },
})
