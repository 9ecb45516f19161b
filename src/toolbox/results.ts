import type { RoomName } from '../chat/entry.ts'
import { textForModels } from '../chat/outside.ts'
import type { Clock } from '../chat/ports.ts'
import { DAY_MS } from '../lib/duration.ts'
import { cleanText } from '../lib/text/clean-text.ts'
import { showPage, type ResultStore } from '../tools/long-results.ts'
import { failed, type ToolResult } from '../tools/result.ts'

/** Characters of one page of a result. */
export const MAX_PAGE_CHARS = 8000

/**
 * How long a long result is kept, in milliseconds; less where there is more than `MAX_ROOM_BYTES` or
 * `MAX_ALL_BYTES`.
 */
const MAX_KEPT_MS = 7 * DAY_MS

/** Bytes of all long results of one room together. */
const MAX_ROOM_BYTES = 16 * 1024 * 1024

/** Bytes of all long results of all rooms: whoever makes many rooms must not fill the disk. */
const MAX_ALL_BYTES = 1024 * 1024 * 1024

/**
 * Characters of one result that are kept. Cleaning and storing a result holds up the whole server: for about
 * 0.1 s at this length (60 ns a character measured, Node 20).
 */
const MAX_RESULT_CHARS = 2_000_000

/** Where long results are kept. */
export interface ResultParts {
  readonly results: Pick<ResultStore, 'put'>
  readonly clock: Clock
}

/** How much a caller reads of one result, in UTF-16 units. */
export interface Allowance {
  /** A longer result is given in pages of this size. */
  readonly pageSize: number
  /** A page that is longer than this is refused: it was cut when the caller had more tokens left. */
  readonly maxPageSize: number
}

/** What is known of a result apart from its text. */
export interface ResultFacts {
  readonly room: RoomName
  /** Id of the tool; absent where the call named none. */
  readonly tool: string | undefined
  readonly allowance: Allowance
  /** Whether the caller has the tool that reads further pages. */
  readonly canRead: boolean
}

/**
 * What the caller reads: the result itself, or its first page where it is too long; then the room keeps the
 * whole. A text of our own that begins with `ERROR:` is an error as well. Rejects with `StorageError`.
 */
export async function presentResult(
  result: ToolResult,
  { room, tool, allowance: { pageSize, maxPageSize }, canRead }: ResultFacts,
  { results, clock }: ResultParts,
): Promise<ToolResult> {
  if (result.isPage) {
    const { length } = textForModels({ ...result, text: result.content })
    return length <= maxPageSize ? result : failed(PAGE_TOO_LONG)
  }
  const cleaned = cleanResult(result, MAX_RESULT_CHARS)
  const { content: text, isError, outside } = cleaned
  if (text.length <= pageSize) return cleaned
  const from = outside && { outside: outside.from }
  const kept = { room, tool: tool ?? 'sshawl', text, pageSize, at: clock.now(), ...from }
  const limits = {
    since: clock.now() - MAX_KEPT_MS,
    roomBytes: MAX_ROOM_BYTES,
    allBytes: MAX_ALL_BYTES,
  }
  const fd = await results.put(kept, limits)
  // A text that is longer than a page has a first page.
  return showPage({ ...kept, fd }, 1, { isError, canRead })!
}

const PAGE_TOO_LONG =
  'this page does not fit into what you can still read in this turn; answer with what you have'

/**
 * A result as it may be stored, shown and sent: cleaned, and cut at so many characters with a last line that
 * says so.
 */
export function cleanResult({ content, isError, outside }: ToolResult, maxChars: number): ToolResult {
  const text = cleanText(
    content.length <= maxChars
      ? content
      : `${content.slice(0, maxChars).toWellFormed()}\n[cut here: ${content.length} characters came, and no more than ${maxChars} are kept]`,
  )
  if (outside) return { content: text, isError, outside }
  return { content: text, isError: isError || text.startsWith('ERROR:') }
}

/** For a person, and for a model with many tokens left. */
export const FULL_ALLOWANCE: Allowance = { pageSize: MAX_PAGE_CHARS, maxPageSize: Infinity }

/** Share of the tokens left that one result may take. */
const RESULT_SHARE = 0.25

/** Characters of a token in most texts. */
const CHARS_PER_TOKEN = 3

/** A shorter page tells a model nothing. */
const MIN_PAGE_CHARS = 400

/** For a model that has so many tokens left in its turn. */
export function allowanceFor(tokensLeft: number): Allowance {
  const share = Math.floor(tokensLeft * RESULT_SHARE * CHARS_PER_TOKEN)
  const pageSize = Math.max(MIN_PAGE_CHARS, Math.min(MAX_PAGE_CHARS, share))
  return { pageSize, maxPageSize: Math.max(MIN_PAGE_CHARS, tokensLeft * 2) }
}

/** About how many tokens a text takes, by the same rule. */
export const tokensOf = (text: string): number => Math.ceil(text.length / CHARS_PER_TOKEN)
