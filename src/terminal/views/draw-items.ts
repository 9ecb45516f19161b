import { drawnRows, drawnText, type DrawnText, joinTexts } from '../drawing/drawn-text.ts'
import { type DrawEntry, renderHeading, renderMessage, renderText } from '../drawing/entry-rows.ts'
import { besideTimes, dayLine, dayOf, withTimes } from '../drawing/time-column.ts'
import { billRows } from '../drawing/reply-rows.ts'
import type { DrawingStyle } from '../drawing/theme.ts'
import type { PendingCalls } from './pending-calls.ts'
import type { Item } from './frames.ts'
import type { RoomFooter } from '../ports.ts'
import type { ReplyPart, StreamedReply } from '../drawing/streamed-reply.ts'
import type { Entry } from '../../words/entry.ts'
import type { Personal } from './viewer.ts'

/** What the next row needs to know about the rows above. */
export interface LastDrawn {
  /** Day of the newest line, as `dayOf` counts; at first today, so that today's lines get no day line. */
  readonly day: number
  readonly speech?: Entry | undefined
  /** The reply to which the last row belongs. */
  readonly reply?: StreamedReply | undefined
}

interface DrawnItems {
  readonly texts: readonly DrawnText[]
  readonly taken: number
  readonly after: LastDrawn
}

interface DrawItemsParts {
  readonly footer: (style: DrawingStyle) => RoomFooter
  readonly replies: ReplyProgress
  readonly calls: PendingCalls
  readonly drawEntry: DrawEntry
  readonly personal: Pick<Personal, 'emphasis' | 'zone'>
}

/** UTF-16 units after which a write ends, so that a refused write loses little. */
const MAX_WRITE_UNITS = 16_384

/** Returns a function that draws as many items as fit one write, but at least `least`. */
export function createDrawItems({ footer, replies, calls, drawEntry, personal }: DrawItemsParts) {
  function drawItem(item: Item, style: DrawingStyle, above: LastDrawn): DrawnText {
    switch (item.type) {
      case 'part':
        return drawPart(item, [], style, above)
      case 'print':
        return drawnText(renderPrint(item, style), style.columns)
      case 'line':
        return drawnText(renderText(item.text, style), style.columns)
      case 'message':
        return drawnText(renderMessage(item.message, style), style.columns)
      case 'entry':
        return drawEntryItem(item, style, above)
    }
  }

  function drawEntryItem(
    { entry, how = {} }: Extract<Item, { readonly type: 'entry' }>,
    style: DrawingStyle,
    above: LastDrawn,
  ): DrawnText {
    const rest = entry.kind === 'reply' && replies.rest(footer(style).replyOf(entry))
    if (rest) return drawPart(rest, billRows(entry, besideTimes(style)), style, above)
    const day = dayOf(entry.at, personal.zone)
    const isNewDay = day !== above.day
    const call = calls.callOf(entry)
    const emphasis = how.waits ? 'waiting' : personal.emphasis(entry)
    // A mention shows its speaker's name, since `· ` in the mention's colour is easily missed.
    const isMention = emphasis === 'mention'
    const follows = !isNewDay && !isMention && above.speech !== undefined && isContinued(above.speech, entry)
    const text = drawEntry(entry, style, { emphasis, follows, call, isPast: how.isPast })
    // Times with dates say the day themselves.
    if (!isNewDay || style.times?.key.startsWith('full')) return text
    const line = { lines: [[{ text: dayLine(day, personal.zone), role: 'system' }]] } as const
    return joinTexts([drawnText(renderText(line, style), style.columns), text])
  }

  function stateBelow(item: Item, { day }: LastDrawn): LastDrawn {
    if (item.type === 'part') return { day, reply: item.reply }
    if (item.type !== 'entry') return { day }
    const { entry } = item
    return { day: dayOf(entry.at, personal.zone), speech: isSpeech(entry) ? entry : undefined }
  }

  return (items: readonly Item[], style: DrawingStyle, from: LastDrawn, least: number): DrawnItems => {
    const texts: DrawnText[] = []
    let after = from
    let [units, taken] = [0, 0]
    for (const item of items) {
      if (units > MAX_WRITE_UNITS && taken >= least) break
      const text = drawItem(item, style, after)
      after = stateBelow(item, after)
      taken += 1
      if (text.rows === 0) continue
      texts.push(text)
      units += text.text.length
    }
    return { texts, taken, after }
  }
}

function drawPart(
  { reply, from, to }: ReplyPart,
  bill: readonly string[],
  style: DrawingStyle,
  above: LastDrawn,
): DrawnText {
  const rows = reply.rows(from, to, style, reply === above.reply)
  return drawnRows([...rows, ...withTimes(bill, style)], style.columns)
}

/** Paints each row separately, since rows are compared and redrawn one by one. */
function renderPrint({ text, role }: Extract<Item, { readonly type: 'print' }>, style: DrawingStyle): string {
  if (role === 'heading' && typeof text === 'string') return renderHeading(text, style)
  const rows = renderText(text, style)
  return role === undefined ? rows : rows.split('\n').map(style.theme[role]).join('\n')
}

/** After a longer silence a speaker is named again. */
const GROUP_MS = 300_000

const isSpeech = ({ kind, thread }: Entry): boolean => kind === 'message' && thread === undefined

const isContinued = (before: Entry, entry: Entry): boolean =>
  entry.kind === 'message' &&
  entry.thread === undefined &&
  entry.author === before.author &&
  entry.at - before.at <= GROUP_MS &&
  entry.edits === undefined &&
  entry.edited === undefined &&
  entry.routine === undefined &&
  !('routine' in before)

const MAX_PART_UNITS = 48
/** A reply with more finished units that wait below another reply is shown first. */
const MAX_WAITING_UNITS = 12

export class ReplyProgress {
  readonly #shown = new WeakMap<StreamedReply, number>()
  /** The reply that moves into the scrollback first, so that two replies are not mixed line by line. */
  #first: StreamedReply | undefined

  take(replies: readonly StreamedReply[]): readonly ReplyPart[] {
    const first = this.#choose(replies)
    this.#first = first
    if (!first || first.finished === this.#shownOf(first)) return []
    const from = this.#shownOf(first)
    const part = { reply: first, from, to: Math.min(first.finished, from + MAX_PART_UNITS) }
    this.#shown.set(first, part.to)
    return [part]
  }

  /** Returns the part of a recorded reply that is not shown yet; undefined if nothing was shown. */
  rest(reply: StreamedReply | undefined): ReplyPart | undefined {
    const from = reply ? this.#shownOf(reply) : 0
    return reply && from > 0 ? { reply, from, to: reply.finished } : undefined
  }

  live(replies: readonly StreamedReply[], style: DrawingStyle, above: LastDrawn): readonly string[] {
    const first = this.#first
    const ordered =
      first && replies.includes(first) ? [first, ...replies.filter((one) => one !== first)] : replies
    return ordered.flatMap((reply) => reply.live(this.#shownOf(reply), style, reply === above.reply))
  }

  #shownOf(reply: StreamedReply): number {
    return this.#shown.get(reply) ?? 0
  }

  #choose(replies: readonly StreamedReply[]): StreamedReply | undefined {
    const waitingUnits = (reply: StreamedReply): number => reply.finished - this.#shownOf(reply)
    return (
      replies.find((reply) => waitingUnits(reply) > MAX_WAITING_UNITS) ??
      replies.find((reply) => reply === this.#first) ??
      replies.find((reply) => waitingUnits(reply) > 0)
    )
  }
}
