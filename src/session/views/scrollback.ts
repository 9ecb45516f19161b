import {
  type DrawEntry,
  drawnRows,
  drawnText,
  type DrawnText,
  joinTexts,
  renderMessage,
  renderText,
} from '../drawing/entry-rows.ts'
import { type Aspect, aspectOf, WAITING, withCall } from '../drawing/entry-look.ts'
import { besideTimes, dayLine, dayOf, withTimes } from '../drawing/time-column.ts'
import { billRows } from '../drawing/reply-rows.ts'
import type { DrawingStyle } from '../drawing/theme.ts'
import type { CallFold } from './live-rows.ts'
import type { Item } from './frames.ts'
import type { PrintRole, RoomFooter } from '../ports.ts'
import type { StreamedReply } from '../drawing/streamed-reply.ts'
import type { Entry } from '../../chat/entry.ts'
import type { Personal } from './viewer.ts'

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

/** How an entry that comes next is to be drawn. */
interface NextLine {
  readonly aspect: Aspect
  /** Stands above it, where its day is not that of the line before. */
  readonly dayLine: string | undefined
  /** What was shown, with that entry. */
  readonly next: ShownSoFar
}

/** What was shown last, as far as what comes next depends on it. It never changes: what was not shown leaves no trace. */
interface ShownSoFar {
  entry(entry: Entry, style: DrawingStyle): NextLine
  /** The same with something that is no entry. */
  printed(): ShownSoFar
}

/** A speaker who was silent for longer than this is named again. */
const GROUP_MS = 300_000

/** What was said last, and the day of the newest line. */
interface Last {
  readonly day: number
  readonly speech?: Entry | undefined
}

type Who = Pick<Personal, 'emphasis' | 'zone' | 'wallNow'>

/** Nothing yet, today: lines of today need no day. */
export const createShownSoFar = (who: Who): ShownSoFar =>
  shownAfter({ day: dayOf(who.wallNow(), who.zone) }, who)

function shownAfter(last: Last, who: Who): ShownSoFar {
  return {
    entry(entry, { times }) {
      const day = dayOf(entry.at, who.zone)
      const isNewDay = day !== last.day
      const follows = !isNewDay && last.speech !== undefined && isContinued(last.speech, entry)
      return {
        aspect: aspectOf(who.emphasis(entry), follows),
        // Times with dates say it themselves.
        dayLine: isNewDay && !times?.key.startsWith('full') ? dayLine(day, who.zone) : undefined,
        next: shownAfter({ day, speech: isSpeech(entry) ? entry : undefined }, who),
      }
    },
    printed: () => (last.speech === undefined ? shownAfter(last, who) : shownAfter({ day: last.day }, who)),
  }
}

const isSpeech = ({ kind, thread }: Entry): boolean => kind === 'message' && thread === undefined

/** What was edited is told by its name, so it begins anew. */
const isContinued = (before: Entry, entry: Entry): boolean =>
  entry.kind === 'message' &&
  entry.thread === undefined &&
  entry.author === before.author &&
  entry.at - before.at <= GROUP_MS &&
  entry.edits === undefined &&
  entry.edited === undefined

/** Finished units of a reply that go above the region of one screen. */
export interface ReplyPart {
  readonly reply: StreamedReply
  readonly from: number
  readonly to: number
}

/** More are written in several pieces. */
const MAX_TAKEN_UNITS = 48
/** A reply whose units wait so long below another one goes above in its turn. */
const MAX_WAITING_UNITS = 12

/** What one screen has shown of the replies being written. */
export interface ShownReplies {
  /** What is finished since it was last asked, and may go above. */
  take(replies: readonly StreamedReply[]): readonly ReplyPart[]
  /** What of a recorded reply is not yet above; undefined where all of it is still to be shown. */
  rest(entry: Entry, reply: StreamedReply | undefined): ReplyPart | undefined
  /** The rows of what does not stand above. `above` is the reply to which the last row above belongs. */
  live(
    replies: readonly StreamedReply[],
    style: DrawingStyle,
    above: StreamedReply | undefined,
  ): readonly string[]
}

export function createShownReplies(): ShownReplies {
  const taken = new WeakMap<StreamedReply, number>()
  /** Goes above at once; the others wait, so that two replies are not mixed line by line. */
  let first: StreamedReply | undefined

  const shownOf = (reply: StreamedReply): number => taken.get(reply) ?? 0

  function choose(replies: readonly StreamedReply[]): StreamedReply | undefined {
    const waiting = replies.find((reply) => reply.finished - shownOf(reply) > MAX_WAITING_UNITS)
    if (waiting) return waiting
    return first && replies.includes(first) ? first : replies.find((reply) => reply.finished > shownOf(reply))
  }

  return {
    take(replies) {
      first = choose(replies)
      if (!first || first.finished === shownOf(first)) return []
      const from = shownOf(first)
      const part = { reply: first, from, to: Math.min(first.finished, from + MAX_TAKEN_UNITS) }
      taken.set(first, part.to)
      return [part]
    },
    rest(entry, reply) {
      const from = reply ? shownOf(reply) : 0
      return reply && from > 0 && entry.kind === 'reply' ? { reply, from, to: reply.finished } : undefined
    },
    live(replies, style, above) {
      const ordered =
        first && replies.includes(first) ? [first, ...replies.filter((one) => one !== first)] : replies
      return ordered.flatMap((reply) => reply.live(shownOf(reply), style, jointOf(reply, above)))
    },
  }
}

const jointOf = (reply: StreamedReply, above: StreamedReply | undefined): 'follows' | 'again' =>
  reply === above ? 'follows' : 'again'
