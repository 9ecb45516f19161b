import { z } from 'zod'
import { ArgumentError } from '../arguments.ts'
import { defineTool } from '../define-tool.ts'
import { FD_PARAMETER_TEXT, fdParameter, findResult } from './fd.ts'
import { pageCount, READ_FD, showPage } from '../long-result.ts'
import type { ResultStore } from '../ports/results.ts'
import type { Tool } from '../tool.ts'

/** A page of a result that was too long to be read at once. */
export const readFd = (results: Pick<ResultStore, 'find'>): Tool =>
  defineTool({
    id: READ_FD,
    title: 'Read Long Result',
    description: 'Reads a page of a long result. Its last line names the fd and how many pages.',
    access: 'read',
    input: z.strictObject({ fd: fdParameter, page: z.int().min(1).default(1) }),
    parameters: { fd: FD_PARAMETER_TEXT, page: 'From 1.' },
    run: async ({ fd, page }, context) => {
      const result = await findResult(results, context, fd)
      const shown = showPage(result, page, { isError: false, canRead: true })
      if (shown) return shown
      throw new ArgumentError(`page must be at most ${pageCount(result)}, got ${page}`)
    },
  })
