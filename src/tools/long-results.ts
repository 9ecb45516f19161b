import type { RoomName } from '../chat/entry.ts'
import { splitPages } from '../lib/text/pages.ts'
import type { ToolResult } from './result.ts'

export interface LongResult {
  readonly room: RoomName
  /** Counts up in its room. */
  readonly fd: number
  /** Id of the tool that gave it. */
  readonly tool: string
  /** Cleaned (lib/text/clean-text.ts). */
  readonly text: string
  /** As `Outside.from`; absent for a text of the tool itself. */
  readonly outside?: string
  /** In UTF-16 units, the same for every reader. */
  readonly pageSize: number
  /** Milliseconds since the epoch. */
  readonly at: number
}

export interface ResultLimits {
  /** Older results are deleted. Milliseconds since the epoch. */
  readonly since: number
  /** In one room; the oldest are deleted first, and the newest never. */
  readonly roomBytes: number
  readonly allBytes: number
}

/** Long results on disk. All methods reject with `StorageError` only. */
export interface ResultStore {
  /** Resolves to its fd, which no other result of the room ever has. */
  put(result: Omit<LongResult, 'fd'>, limits: ResultLimits): Promise<number>
  find(room: RoomName, fd: number): Promise<LongResult | undefined>
}

/** Models that do not have this tool are told so. */
export const READ_FD = 'read_fd'

/** `fd:3` */
export const fdName = (fd: number): string => `fd:${fd}`

/** A page, from 1, and a last line that says how to read the next. Undefined if there is no such page. */
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
