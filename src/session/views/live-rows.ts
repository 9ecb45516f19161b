import type { PresenceFold } from '../../chat/presence/fold.ts'
import type { DrawCall } from '../drawing/call-row.ts'
import { createDraftLayout } from '../drawing/draft-rows.ts'
import type { DrawEntry } from '../drawing/entry-rows.ts'
import { columnsBeside } from '../drawing/time-column.ts'
import type { Region, WindowSize } from '../drawing/region.ts'
import type { DrawingStyle } from '../drawing/theme.ts'
import type { Draft } from '../input/edit-commands.ts'
import type { RoomFooter } from '../ports.ts'
import type { ShownReplies } from './scrollback.ts'
import type { StreamedReply } from '../drawing/streamed-reply.ts'
import type { ApprovalEntry, Entry, ToolCallEntry, ToolResultEntry } from '../../chat/entry.ts'

/** Makes the rows that are drawn again as they change. `above` is the reply to which the last row above them belongs. */
type DrawBelow = (
  draft: Draft,
  style: DrawingStyle,
  size: WindowSize,
  above: StreamedReply | undefined,
) => Region

/** What they show. */
interface BelowParts {
  readonly footer: (style: DrawingStyle) => RoomFooter
  readonly replies: Pick<ShownReplies, 'live'>
  readonly calls: Pick<CallFold, 'waiting'>
  readonly fold: Pick<PresenceFold, 'waiting'>
  readonly drawEntry: DrawEntry
  readonly drawCall: DrawCall
  /** Milliseconds since the epoch. */
  readonly wallNow: () => number
}

const MAX_DRAFT_ROWS = 6

/** From the top: replies being written, tools, who came and went; the status; the draft. */
export function createDrawBelow(parts: BelowParts): DrawBelow {
  const { footer, replies, calls, fold, drawEntry, drawCall, wallNow } = parts
  const layOut = createDraftLayout()
  /** As a rule nothing is live, and all of it stays as it is while lines go above. */
  let last: { draft: Draft; size: WindowSize; status: string; region: Region } | undefined

  /** The tools that run, or wait for a permission. */
  const running = (style: DrawingStyle, progressOf: RoomFooter['progressOf']): readonly string[] =>
    calls.waiting().map((call) => {
      const progress = call.kind === 'tool_call' ? progressOf?.(call) : undefined
      return drawCall(call, wallNow() - call.at, style, progress)
    })

  /** Who came and went since something was said: one row, until something else is said. */
  function comings(style: DrawingStyle): readonly string[] {
    const line = fold.waiting(columnsBeside(style))
    return line ? drawEntry(line, style).text.split('\r\n', 1) : []
  }

  function draw(
    live: readonly string[],
    status: string,
    draft: Draft,
    { columns, rows }: WindowSize,
  ): Region {
    const typed = layOut(draft, columns, Math.max(1, Math.min(MAX_DRAFT_ROWS, rows - 2)))
    const bar = rows > 2 && status !== '' ? [status] : []
    const free = Math.max(0, rows - 1 - bar.length - typed.rows.length)
    const shown = free > 0 ? live.slice(-free) : []
    return {
      rows: [...shown, ...bar, ...typed.rows],
      live: shown.length,
      cursor: { row: shown.length + bar.length + typed.row, column: typed.column },
      size: { columns, rows },
    }
  }

  return (draft, style, size, above) => {
    const { replies: written, status, progressOf } = footer(style)
    const live = [...replies.live(written, style, above), ...running(style, progressOf), ...comings(style)]
    const isSame = live.length === 0 && last?.draft === draft && last.size === size && last.status === status
    if (last && isSame) return last.region
    const region = draw(live, status, draft, size)
    last = live.length === 0 ? { draft, size, status, region } : undefined
    return region
  }
}

/**
 * Tool calls and their results as one line each: it is drawn again while a permission is asked for and while the tool runs, and
 * stands above with the result.
 */
export interface CallFold {
  /** What is to be shown now that the log goes on with this entry. A call waits for its result, or the end of its turn. */
  take(entry: Entry): readonly Entry[]
  /** The call of a result that was taken. */
  callOf(entry: Entry): ToolCallEntry | undefined
  /** Those that wait, in order: questions without an answer, and calls without a result. */
  waiting(): readonly WaitingEntry[]
}

/** A call that runs, or the question that it waits for. */
export type WaitingEntry = ToolCallEntry | ApprovalEntry

/** No tool runs longer; the call of one that did was cut off by a crash. */
const MAX_CALL_MS = 1_200_000

/** `wallNow` gives milliseconds since the epoch. */
export function createCallFold(wallNow: () => number): CallFold {
  const held = new Map<string, WaitingEntry>()
  const calls = new WeakMap<Entry, ToolCallEntry>()

  function hold(entry: WaitingEntry): boolean {
    const isTooOld = wallNow() - entry.at > MAX_CALL_MS
    if (!isTooOld) held.set(keyOf(entry), entry)
    return !isTooOld
  }

  function result(entry: ToolResultEntry): readonly Entry[] {
    const call = held.get(keyOf(entry))
    if (call?.kind === 'tool_call') calls.set(entry, call)
    held.delete(keyOf(entry))
    return [entry]
  }

  /** A question stands above by itself; here it waits for its answer. */
  function approval(entry: ApprovalEntry): readonly Entry[] {
    if (entry.verdict === 'asked') hold(entry)
    else for (const [key, one] of held) if (isAnswer(entry, one)) held.delete(key)
    return [entry]
  }

  /** Calls whose result will not come. */
  function unanswered(turn: string | undefined): readonly Entry[] {
    const gone = [...held].filter(([, one]) => one.turn !== undefined && one.turn === turn)
    for (const [key] of gone) held.delete(key)
    return gone.flatMap(([, one]) => (one.kind === 'tool_call' ? [one] : []))
  }

  return {
    take(entry) {
      if (entry.kind === 'tool_result') return result(entry)
      if (entry.kind === 'approval') return approval(entry)
      if (entry.kind === 'reply' && entry.outcome !== undefined) return [...unanswered(entry.turn), entry]
      if (entry.kind === 'notice') return [...unanswered(entry.turn), entry]
      if (entry.kind === 'tool_call' && hold(entry)) return []
      return [entry]
    },
    callOf: (entry) => calls.get(entry),
    waiting: () => (held.size === 0 ? NONE : [...held.values()]),
  }
}

/** As a rule there are none, and it is asked for at each painting. */
const NONE: readonly WaitingEntry[] = []

function keyOf(entry: WaitingEntry | ToolResultEntry): string {
  const { turn = '', thread = '' } = entry
  return entry.kind === 'approval' ? `question ${entry.question}` : `${turn} ${thread} ${entry.call}`
}

/** That nobody answered is told without the question's number. */
const isAnswer = ({ question, turn, tool, requester }: ApprovalEntry, asked: WaitingEntry): boolean =>
  asked.kind === 'approval' &&
  (question === undefined
    ? asked.turn === turn && asked.tool === tool && asked.requester === requester
    : asked.question === question)
