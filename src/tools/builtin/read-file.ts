import { z } from 'zod'
import { ArgumentError } from '../arguments.ts'
import { defineTool } from '../define-tool.ts'
import type { FileSlice } from '../ports/workspace.ts'
import { linesOf } from '../shown-text.ts'
import { ok } from '../result.ts'

/** A text file of the room's workspace, or some of its lines. */
export const readFile = defineTool({
  id: 'read_file',
  title: 'Read File',
  description: 'Reads a text file, or some of its lines.',
  access: 'read',
  input: z.strictObject({
    file_path: z.string().min(1),
    start_line: z.int().min(1).optional(),
    end_line: z.int().min(1).optional(),
    show_lines: z.boolean().default(false),
  }),
  parameters: {
    file_path: 'In the workspace.',
    start_line: 'First line, from 1.',
    end_line: 'Last line, included.',
    show_lines: 'Number the lines.',
  },
  run: async ({ file_path, start_line, end_line, show_lines }, context) => {
    if (start_line && end_line && end_line < start_line) {
      throw new ArgumentError(`end_line must be at least start_line (${start_line}), got ${end_line}`)
    }
    const slice = await context.workspace.readText(file_path, { first: start_line, last: end_line })
    if (start_line && start_line > Math.max(1, slice.totalLines)) {
      throw new ArgumentError(
        `start_line must be at most ${slice.totalLines}, the last line of ${file_path}, got ${start_line}`,
      )
    }
    return ok(show_lines ? numbered(slice) : slice.text)
  },
})

const numbered = ({ text, firstLine }: FileSlice): string =>
  linesOf(text)
    .map((line, index) => `${firstLine + index}: ${line}`)
    .join('')
