import { splitPages } from '../lib/text/pages.ts'
import type { LongResult } from './ports/results.ts'
import type { ToolResult } from './result.ts'

/** The tool that reads further pages. Models that do not have it are told so. */
export const READ_FD = 'read_fd'

/** `fd:3` */
export const fdName = (fd: number): string => `fd:${fd}`

/**
 * One page of a long result, 1-based, and a last line that says which page it is and how to read the next. The text
 * before that line is exactly the page. Undefined where there is no such page.
 */
export function showPage(
  { fd, tool, text, pageSize, outside }: LongResult,
  page: number,
  options: { readonly isError: boolean; readonly canRead: boolean },
): ToolResult | undefined {
  const pages = splitPages(text, pageSize)
  const content = pages[page - 1]
  if (content === undefined) return undefined
  const where = `page ${page} of ${pages.length} of ${fdName(fd)}, which ${tool} gave, ${text.length} characters in all`
  const next = goOn(fd, page, pages.length, options.canRead)
  return {
    content: `${content}\n[${where}; ${next}]`,
    isError: options.isError,
    isPage: true,
    ...(outside === undefined ? {} : { outside: { from: outside, head: 0, tail: 1 } }),
  }
}

function goOn(fd: number, page: number, pages: number, canRead: boolean): string {
  if (page === pages) return 'this is the end'
  if (!canRead)
    return `the rest is read with ${READ_FD}, which is not among these tools: ask for less instead`
  return `go on with ${READ_FD} ${JSON.stringify({ fd: fdName(fd), page: page + 1 })}`
}

/** How many pages a long result has. */
export const pageCount = ({ text, pageSize }: LongResult): number => splitPages(text, pageSize).length
