import { z } from 'zod'
import { ArgumentError } from '../arguments.ts'
import {
  type LongResult,
  type ResultStore,
  pageCount,
  READ_FD,
  showPage,
  fdName,
} from '../results/long-results.ts'
import type { ToolContext } from '../context.ts'
import { defineTool } from '../define-tool.ts'
import type { Tool } from '../tool.ts'
import { visibleLine } from '../../base/text/visible-text.ts'
import { ok } from '../results/result.ts'

/** A number without `fd:` is accepted. */
const fdParameter = z.coerce
  .string()
  .regex(/^(fd:)?[1-9][0-9]{0,8}$/, 'write it as "fd:3"')
  .describe('Such as fd:3.')

/** Throws `ArgumentError` for an unknown result. */
async function findResult(
  results: Pick<ResultStore, 'find'>,
  { room }: ToolContext,
  name: string,
): Promise<LongResult> {
  const fd = Number(name.replace(/^fd:/, ''))
  const result = await results.find(room, fd)
  if (result) return result
  throw new ArgumentError(
    `there is no fd:${fd} in this room; long results are kept for some days, so call the tool again that ` +
      'gave it',
  )
}

export const readFd = (results: Pick<ResultStore, 'find'>): Tool =>
  defineTool({
    id: READ_FD,
    title: 'Read Long Result',
    description: 'Reads a page of a long result. Its last line names the fd and how many pages.',
    access: 'read',
    input: z.strictObject({ fd: fdParameter, page: z.int().min(1).describe('From 1.').default(1) }),
    run: async ({ fd, page }, context) => {
      const result = await findResult(results, context, fd)
      const shown = showPage(result, page, { isError: false, canRead: true })
      if (shown) return shown
      throw new ArgumentError(`page must be at most ${pageCount(result)}, got ${page}`)
    },
  })

export const fdToFile = (results: Pick<ResultStore, 'find'>): Tool =>
  defineTool({
    id: 'fd_to_file',
    title: 'Save Long Result',
    description: 'Saves a whole long result as a text file.',
    access: 'write',
    input: z.strictObject({ fd: fdParameter, file_path: z.string().min(1).describe('In the workspace.') }),
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

/** The whole result is too long for a question. */
const SHOWN_CHARS = 1000

function detailOf({ fd, tool, text }: LongResult, path: string): string {
  const facts = `write ${visibleLine(path)}: all ${text.length} characters of ${fdName(fd)}, which ${tool} gave`
  return `${facts} (run read_fd to see all of it). It begins:\n${text.slice(0, SHOWN_CHARS).toWellFormed()}…`
}
