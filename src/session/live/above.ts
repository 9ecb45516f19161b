import {
  type DrawEntry,
  drawnRows,
  drawnText,
  type DrawnText,
  joinTexts,
  renderMessage,
  renderText,
} from '../drawing/entry-rows.ts'
import { WAITING, withCall } from '../drawing/entry-look.ts'
import { besideTimes, withTimes } from '../drawing/time-column.ts'
import { billRows } from '../drawing/reply-rows.ts'
import type { DrawingStyle } from '../drawing/theme.ts'
import type { CallFold } from '../calls.ts'
import type { Item } from '../frame-writer.ts'
import type { ShownSoFar } from '../shown-so-far.ts'
import type { PrintRole, RoomFooter } from '../ports.ts'
import { jointOf, type ReplyPart, type ShownReplies } from '../replies/shown-replies.ts'
import type { StreamedReply } from '../drawing/streamed-reply.ts'

/** What stands above for good, as far as what comes next depends on it. */
export interface Above {
  readonly shown: ShownSoFar
  /** The reply to which its last row belongs. */
  readonly reply: StreamedReply | undefined
}

/** Items as they are drawn below what is above. */
interface DrawnItems {
  readonly texts: readonly DrawnText[]
  /** How many of the items they are; the others are for another write. */
  readonly taken: number
  /** What is above once they are. */
  readonly after: Above
}

/** Draws as many items as fit one write, but at least `least`, below what is above. */
type DrawItems = (items: readonly Item[], style: DrawingStyle, from: Above, least: number) => DrawnItems

/** What items are drawn with. */
interface AboveParts {
  readonly footer: (style: DrawingStyle) => RoomFooter
  readonly replies: Pick<ShownReplies, 'rest'>
  readonly calls: Pick<CallFold, 'callOf'>
  readonly drawEntry: DrawEntry
}

/** Longer texts are written in several pieces, so that one that does not fit takes fewer others with it. */
const MAX_WRITE_UNITS = 16_384

export function createDrawItems({ footer, replies, calls, drawEntry }: AboveParts): DrawItems {
  function drawItem(item: Item, style: DrawingStyle, { shown, reply: last }: Above) {
    const printed = (rows: string) => ({ text: drawnText(rows, style.columns), shown: shown.printed() })
    switch (item.type) {
      case 'part':
        return { text: drawPart(item, [], style, last), shown: shown.printed() }
      case 'print':
        return printed(inRole(renderText(item.text, style), item.role, style))
      case 'message':
        return printed(renderMessage(item.message, style))
      case 'sent':
        return printed(renderText(item.text, style))
      case 'entry':
        return drawEntryItem(item, style, shown, last)
    }
  }

  function drawEntryItem(
    { entry, waits }: Extract<Item, { readonly type: 'entry' }>,
    style: DrawingStyle,
    on: ShownSoFar,
    last: StreamedReply | undefined,
  ) {
    const { aspect, dayLine, next: shown } = on.entry(entry, style)
    const rest = replies.rest(entry, footer(style).replyOf(entry))
    if (rest) return { text: drawPart(rest, billRows(entry, besideTimes(style)), style, last), shown }
    const text = drawEntry(entry, style, withCall(waits ? WAITING : aspect, calls.callOf(entry)))
    if (dayLine === undefined) return { text, shown }
    const line = { lines: [[{ text: dayLine, role: 'system' }]] } as const
    return { text: joinTexts([drawnText(renderText(line, style), style.columns), text]), shown }
  }

  return (items, style, from, least) => {
    const texts: DrawnText[] = []
    let after = from
    let [units, taken] = [0, 0]
    for (const item of items) {
      if (units > MAX_WRITE_UNITS && taken >= least) break
      const { text, shown } = drawItem(item, style, after)
      after = { shown, reply: item.type === 'part' ? item.reply : undefined }
      taken += 1
      if (text.rows === 0) continue
      texts.push(text)
      units += text.text.length
    }
    return { texts, taken, after }
  }
}

/** What of a reply is not yet above, with its bill. */
function drawPart(
  { reply, from, to }: ReplyPart,
  bill: readonly string[],
  style: DrawingStyle,
  last: StreamedReply | undefined,
): DrawnText {
  const rows = reply.rows(from, to, style, jointOf(reply, last))
  return drawnRows([...rows, ...withTimes(bill, style)], style.columns)
}

/** Each row by itself: a row may be cut where it is drawn again. */
function inRole(rows: string, role: PrintRole | undefined, { theme }: DrawingStyle): string {
  if (!role) return rows
  return rows
    .split('\n')
    .map((row) => (row === '' ? '' : theme[role](row)))
    .join('\n')
}
