import type { PresenceFold } from '../../chat/presence/fold.ts'
import type { DrawCall } from '../drawing/call-row.ts'
import { createDraftLayout } from '../drawing/draft-rows.ts'
import type { DrawEntry } from '../drawing/entry-rows.ts'
import { columnsBeside } from '../drawing/time-column.ts'
import type { Region, WindowSize } from '../drawing/region.ts'
import type { DrawingStyle } from '../drawing/theme.ts'
import type { CallFold } from '../calls.ts'
import type { Draft } from '../input/edit-commands.ts'
import type { RoomFooter } from '../ports.ts'
import type { ShownReplies } from '../replies/shown-replies.ts'
import type { StreamedReply } from '../drawing/streamed-reply.ts'

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
