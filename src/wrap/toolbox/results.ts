import type { RoomName } from '../../words/entry.ts'
import { textForModels } from '../../words/outside.ts'
import { DAY_MS } from '../../base/amounts.ts'
import type { Clock } from '../../base/environment.ts'
import { cleanText } from '../../base/text/clean-text.ts'
import { showPage, type ResultStore, failed, type ToolResult } from '../../tools/results/index.ts'

export const MAX_PAGE_CHARS = 8000

const MAX_KEPT_MS = 7 * DAY_MS
const MAX_ROOM_BYTES = 16 * 1024 * 1024
/** The limit for all rooms together: a person who creates many rooms must not fill the disk. */
const MAX_ALL_BYTES = 1024 * 1024 * 1024

/** Sanitizing and storing this length blocks the server for about 0.1 s. */
const MAX_RESULT_CHARS = 2_000_000

/** Lengths of results for one caller, in UTF-16 units. */
export interface Allowance {
  /** A longer result is split into pages of this size. */
  readonly pageSize: number
  /** A longer page is refused: it was cut when the caller had more tokens left. */
  readonly maxPageSize: number
}

export interface ResultFacts {
  readonly room: RoomName
  readonly tool: string | undefined
  readonly allowance: Allowance
  /** True if the caller has the tool that reads further pages. */
  readonly canRead: boolean
}

/** Resolves to the result, or to page 1 of a long one, which is stored. Rejects with `StorageError`. */
export async function presentResult(
  result: ToolResult,
  { room, tool, allowance: { pageSize, maxPageSize }, canRead }: ResultFacts,
  { results, clock }: { readonly results: Pick<ResultStore, 'put'>; readonly clock: Clock },
): Promise<ToolResult> {
  if (result.isPage) {
    const { length } = textForModels({ ...result, text: result.content })
    return length <= maxPageSize ? result : failed(PAGE_TOO_LONG)
  }
  const cleaned = cleanResult(result, MAX_RESULT_CHARS)
  const { content: text, isError, outside } = cleaned
  if (text.length <= pageSize) return cleaned
  const at = clock.now()
  const kept = { room, tool: tool ?? 'sshawl', text, pageSize, at, ...(outside && { outside: outside.from }) }
  const limits = { since: at - MAX_KEPT_MS, roomBytes: MAX_ROOM_BYTES, allBytes: MAX_ALL_BYTES }
  const fd = await results.put(kept, limits)
  // A text that is longer than a page has a first page.
  return showPage({ ...kept, fd }, 1, { isError, canRead })!
}

const PAGE_TOO_LONG =
  'this page does not fit into what you can still read in this turn; answer with what you have'

/** Sanitizes a result. Cuts a long result, with a last line that says so. */
export function cleanResult({ content, isError, outside }: ToolResult, maxChars: number): ToolResult {
  const { length } = content
  const notice = `\n[cut here: ${length} characters came, and no more than ${maxChars} are kept]`
  const text = cleanText(
    length <= maxChars ? content : `${content.slice(0, maxChars).toWellFormed()}${notice}`,
  )
  if (outside) return { content: text, isError, outside }
  return { content: text, isError: isError || text.startsWith('ERROR:') }
}

export const FULL_ALLOWANCE: Allowance = { pageSize: MAX_PAGE_CHARS, maxPageSize: Infinity }

const RESULT_SHARE = 0.25

const CHARS_PER_TOKEN = 3

const MIN_PAGE_CHARS = 400

export function allowanceFor(tokensLeft: number): Allowance {
  const share = Math.floor(tokensLeft * RESULT_SHARE * CHARS_PER_TOKEN)
  const pageSize = Math.max(MIN_PAGE_CHARS, Math.min(MAX_PAGE_CHARS, share))
  return { pageSize, maxPageSize: Math.max(MIN_PAGE_CHARS, tokensLeft * 2) }
}

export const tokensOf = (text: string): number => Math.ceil(text.length / CHARS_PER_TOKEN)
