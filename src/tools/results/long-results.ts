import type { RoomName } from '../../words/entry.ts'
import { splitPages } from '../../base/text/pages.ts'
import type { ToolResult } from './result.ts'

export interface LongResult {
  readonly room: RoomName
  /** Counts up in its room. */
  readonly fd: number
  /** ID of the tool that returned it. */
  readonly tool: string
  /** Sanitized (base/text/clean-text.ts). */
  readonly text: string
  /** See `Outside.from`; absent for the tool's own text. */
  readonly outside?: string
  /** UTF-16 units, equal for all readers. */
  readonly pageSize: number
  /** Milliseconds since the epoch. */
  readonly at: number
}

export interface ResultLimits {
  /** Older results are deleted. Milliseconds since the epoch. */
  readonly since: number
  /** Limit of a room; the oldest results are deleted first, the newest never. */
  readonly roomBytes: number
  readonly allBytes: number
}

/** Long results on disk. All methods reject with `StorageError` only. */
export interface ResultStore {
  /** Resolves to the fd, which is unique in the room for ever. */
  put(result: Omit<LongResult, 'fd'>, limits: ResultLimits): Promise<number>
  find(room: RoomName, fd: number): Promise<LongResult | undefined>
}

/** Models without this tool are told that they cannot read on. */
export const READ_FD = 'read_fd'

export const fdName = (fd: number): string => `fd:${fd}`

/** Shows a page (1-based) with a last line on how to read the next; undefined if there is no such page. */
export function showPage(
  { fd, tool, text, pageSize, outside }: LongResult,
  page: number,
  options: { readonly isError: boolean; readonly canRead: boolean },
): ToolResult | undefined {
  const pages = splitPages(text, pageSize)
  const content = pages[page - 1]
  if (content === undefined) return undefined
  const where = `page ${page} of ${pages.length} of ${fdName(fd)}, which ${tool} gave, ${text.length} characters in all`
  const next =
    page === pages.length
      ? 'this is the end'
      : options.canRead
        ? `go on with ${READ_FD} ${JSON.stringify({ fd: fdName(fd), page: page + 1 })}`
        : `the rest is read with ${READ_FD}, which is not among these tools: ask for less instead`
  return {
    content: `${content}\n[${where}; ${next}]`,
    isError: options.isError,
    isPage: true,
    ...(outside !== undefined && { outside: { from: outside, head: 0, tail: 1 } }),
  }
}

export const pageCount = ({ text, pageSize }: LongResult): number => splitPages(text, pageSize).length
