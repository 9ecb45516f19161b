/**
 * replies/ keeps what models are writing in a room, and what was written of it on each screen: which of its units stand
 * above for good, and which are still drawn again.
 *
 * It must not know how Markdown is read, nor how rows become bytes.
 */
import type { Entry, ReplyDelta, TurnId } from '../../chat/entry.ts'
import type { MarkdownTools } from '../markdown/blocks.ts'
import { createReplyWriter, type ReplyWriter, type StreamedReply } from './streamed-reply.ts'

/** The replies that models are writing in one room. */
interface Replies {
  /** A piece is shown with the next `flush`. */
  add(delta: ReplyDelta): void
  /** True if something new is to be shown. */
  flush(): boolean
  /** A reply was recorded, or the turn is over: what is left of it is the entry. */
  end(turn: TurnId, entry: Entry): void
  /** Nobody looks any more. */
  endAll(): void
  /** Those being written, in the order in which they began. */
  now(): readonly StreamedReply[]
  /** What was shown of a recorded reply while it was written; undefined where that was nothing, or something else. */
  of(entry: Entry): StreamedReply | undefined
}

/** What replies are made from. */
export interface RepliesParts {
  /** Asked when the first piece comes. */
  readonly tools: () => MarkdownTools
  /** Milliseconds since the epoch. */
  readonly wallNow: () => number
}

export function createReplies({ tools, wallNow }: RepliesParts): Replies {
  const writers = new Map<TurnId, ReplyWriter>()
  const recorded = new WeakMap<Entry, StreamedReply>()

  return {
    add({ turn, model, text, thinking }) {
      const writer = writers.get(turn) ?? createReplyWriter({ turn, model, begunAt: wallNow() }, tools())
      writers.set(turn, writer)
      if (thinking) writer.think(text)
      else writer.write(text)
    },
    flush: () => [...writers.values()].filter((writer) => writer.flush()).length > 0,
    end(turn, entry) {
      const writer = writers.get(turn)
      if (writer && entry.kind === 'reply' && writer.finish(entry.text)) recorded.set(entry, writer)
      writers.delete(turn)
    },
    endAll: () => writers.clear(),
    now: () => (writers.size === 0 ? NONE : [...writers.values()]),
    of: (entry) => recorded.get(entry),
  }
}

/** As a rule there are none, and every screen asks. */
const NONE: readonly StreamedReply[] = []
