import { z } from 'zod'
import { visibleLine } from '../../lib/text/visible-text.ts'
import { defineTool } from '../define-tool.ts'
import { ok } from '../result.ts'

/** A whole file, new or instead of the old one. */
export const writeFile = defineTool({
  id: 'write_file',
  title: 'Write File',
  description: 'Writes a whole text file. Of an old one a copy is kept. edit_file changes a part.',
  access: 'write',
  input: z.strictObject({ file_path: z.string().min(1), content: z.string() }),
  parameters: {
    file_path: 'In the workspace.',
    content: 'The whole text.',
  },
  verbatim: ['content'],
  files: ['file_path'],
  asks: async ({ file_path, content }, { workspace }) => {
    await workspace.checkChange(file_path)
    return {
      target: file_path,
      detail: `write ${visibleLine(file_path)}:\n${content}`,
      asked: `write '${visibleLine(file_path)}'?`,
    }
  },
  run: async ({ file_path, content }, { workspace }) => {
    const { created } = await workspace.changeText(file_path, () => content)
    return ok(`${created ? 'Made' : 'Replaced'} ${file_path}.`)
  },
})
