import type { RoomName } from '../chat/entry.ts'
import { splitPages } from '../lib/text/pages.ts'
import type { ToolResult } from './result.ts'

/** A result that was too long to be read at once, kept whole. */
export interface LongResult {
  readonly room: RoomName
  /** Counts up in its room; written `fd:3`. */
  readonly fd: number
  /** Id of the tool that gave it. */
  readonly tool: string
  /** Cleaned (lib/text/clean-text.ts). */
  readonly text: string
  /** Who says it, as `Outside.from` has it; absent for what the tool says itself. */
  readonly outside?: string
  /** Of a page, in UTF-16 units: the same for whoever reads, so that the pages join to the text. */
  readonly pageSize: number
  /** Milliseconds since the epoch. */
  readonly at: number
}

/** What may be kept of long results. */
export interface ResultLimits {
  /** Everything older than this is deleted, in every room. Milliseconds since the epoch. */
  readonly since: number
  /**
   * Bytes of all texts of one room, in UTF-8; the oldest are deleted first. The newest stays whatever its
   * size.
   */
  readonly roomBytes: number
  /** The same for all rooms together. */
  readonly allBytes: number
}

/** Long results on disk. All methods reject with `StorageError` only. */
export interface ResultStore {
  /** Resolves to its fd, which no other result of the room ever had or will have. */
  put(result: Omit<LongResult, 'fd'>, limits: ResultLimits): Promise<number>
  /** Undefined for a result that never existed, was deleted, or belongs to another room. */
  find(room: RoomName, fd: number): Promise<LongResult | undefined>
}

/** The tool that reads further pages. Models that do not have it are told so. */
export const READ_FD = 'read_fd'

/** `fd:3` */
export const fdName = (fd: number): string => `fd:${fd}`

/**
 * One page of a long result, 1-based, and a last line that says which page it is and how to read the next.
 * The text before that line is exactly the page. Undefined where there is no such page.
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
