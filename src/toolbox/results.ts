import type { RoomName } from '../chat/entry.ts'
import type { Clock } from '../chat/ports.ts'
import { cleanText } from '../lib/clean-text.ts'
import { showPage } from '../tools/long-result.ts'
import type { ResultStore } from '../tools/ports.ts'
import { failed, type ToolResult } from '../tools/tool.ts'

/** Characters of a result that are read at once. */
export const RESULT_CHARS = 8000

/** A long result is let go after this time, in milliseconds, and earlier where its room has more than `ROOM_BYTES`. */
const KEPT_MS = 7 * 24 * 60 * 60 * 1000
const ROOM_BYTES = 16 * 1024 * 1024

/**
 * More characters than this of one result are not kept: cleaning and storing it holds up the whole server, for about
 * 0.1 s at worst (60 ns a character measured, Node 20).
 */
const MOST_CHARS = 2_000_000

/** Where long results go. */
export interface ResultParts {
  readonly results: Pick<ResultStore, 'put'>
  readonly clock: Clock
}

/** How much a caller reads of one result, in UTF-16 units. */
export interface Allowance {
  /** Longer results are given in pages of this size. */
  readonly pageSize: number
  /** A page that was cut for somebody with more tokens left is refused where it is longer than this. */
  readonly most: number
}

/** What is known of a result apart from itself. */
export interface ResultFacts {
  readonly room: RoomName
  /** Id of the tool; absent where there is none. */
  readonly tool: string | undefined
  readonly allowance: Allowance
  /** Whether the caller has the tool that turns pages. */
  readonly canRead: boolean
}

/**
 * What the caller reads: the result itself, or its first page where it is too long; then the whole is kept in the room.
 * A text that begins with `ERROR:` is an error as well. Rejects with `StorageError`.
 */
export async function presentResult(
  result: ToolResult,
  { room, tool, allowance: { pageSize, most }, canRead }: ResultFacts,
  { results, clock }: ResultParts,
): Promise<ToolResult> {
  if (result.isPage) return result.content.length <= most ? result : failed(TOO_MUCH)
  const whole = cleanText(keepable(result.content))
  const isError = result.isError || whole.startsWith('ERROR:')
  if (whole.length <= pageSize) return { content: whole, isError }
  const kept = { room, tool: tool ?? 'sshawl', text: whole, pageSize, at: clock.now() }
  const fd = await results.put(kept, { since: clock.now() - KEPT_MS, roomBytes: ROOM_BYTES })
  return showPage({ ...kept, fd }, 1, { isError, canRead })!
}

const TOO_MUCH = 'this page does not fit into what you can still read in this turn; answer with what you have'

function keepable(text: string): string {
  if (text.length <= MOST_CHARS) return text
  return `${text.slice(0, MOST_CHARS).toWellFormed()}\n[cut here: ${text.length} characters came, and no more than ${MOST_CHARS} are kept]`
}

/** What a person reads at once, or a model with many tokens left. */
export const FULL_ALLOWANCE: Allowance = { pageSize: RESULT_CHARS, most: Infinity }

/** Share of the tokens that are left which one result may take, and the characters of a token in most texts. */
const SHARE = 0.25
const CHARS_PER_TOKEN = 3

/** Less than this tells a model nothing. */
const LEAST_CHARS = 400

/** What a model reads at once that has so many tokens left in its turn. */
export const allowanceFor = (tokensLeft: number): Allowance => ({
  pageSize: Math.max(LEAST_CHARS, Math.min(RESULT_CHARS, Math.floor(tokensLeft * SHARE * CHARS_PER_TOKEN))),
  most: Math.max(LEAST_CHARS, tokensLeft * 2),
})

/** Tokens that a text which was read takes, by the same rule. */
export const tokensOf = (text: string): number => Math.ceil(text.length / CHARS_PER_TOKEN)

const encoder = new TextEncoder()

/** Size in UTF-8. */
export const utf8Bytes = (text: string): number => encoder.encode(text).length
