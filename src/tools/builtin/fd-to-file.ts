import { z } from 'zod'
import { visibleLine } from '../../lib/text/visible-text.ts'
import { defineTool } from '../define-tool.ts'
import { FD_PARAMETER_TEXT, fdParameter, findResult } from './fd.ts'
import { fdName } from '../long-result.ts'
import type { LongResult, ResultStore } from '../ports/results.ts'
import { ok } from '../result.ts'
import type { Tool } from '../tool.ts'

/** A long result as a file of the workspace. */
export const fdToFile = (results: Pick<ResultStore, 'find'>): Tool =>
  defineTool({
    id: 'fd_to_file',
    title: 'Save Long Result',
    description: 'Saves a whole long result as a text file.',
    access: 'write',
    input: z.strictObject({ fd: fdParameter, file_path: z.string().min(1) }),
    parameters: { fd: FD_PARAMETER_TEXT, file_path: 'In the workspace.' },
    files: ['file_path'],
    asks: async ({ fd, file_path }, context) => {
      const result = await findResult(results, context, fd)
      await context.workspace.checkChange(file_path)
      const name = fdName(result.fd)
      return {
        target: `${name} ${file_path}`,
        detail: detailOf(result, file_path),
        asked: `write ${name} to '${visibleLine(file_path)}'?`,
      }
    },
    run: async ({ fd, file_path }, context) => {
      const { fd: number, text } = await findResult(results, context, fd)
      const { created } = await context.workspace.changeText(file_path, () => text)
      const what = `the ${text.length} characters of ${fdName(number)}`
      return ok(`${created ? 'Made' : 'Replaced'} ${file_path} with ${what}.`)
    },
  })

/** Enough to know the text by; the whole is too long for a question, and everybody in the room can read it. */
const SHOWN_CHARS = 1000

function detailOf({ fd, tool, text }: LongResult, path: string): string {
  const facts = `write ${visibleLine(path)}: all ${text.length} characters of ${fdName(fd)}, which ${tool} gave`
  return `${facts} (run read_fd to see all of it). It begins:\n${text.slice(0, SHOWN_CHARS).toWellFormed()}…`
}
