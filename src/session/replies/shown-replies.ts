import type { Entry } from '../../chat/entry.ts'
import type { DrawingStyle } from '../drawing/theme.ts'
import type { StreamedReply } from '../drawing/streamed-reply.ts'

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

export const jointOf = (reply: StreamedReply, above: StreamedReply | undefined): 'follows' | 'again' =>
  reply === above ? 'follows' : 'again'
