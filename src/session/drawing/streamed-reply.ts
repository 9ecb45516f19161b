import type { Entry, ReplyDelta, TurnId } from '../../chat/entry.ts'
import type { MarkdownTools, Unit } from '../markdown/blocks.ts'
import { shownName } from '../../chat/entry-text.ts'
import { besideTimes, withTimes } from './time-column.ts'
import type { Span } from '../../lib/text/styled.ts'
import { labelIn } from './entry-look.ts'
import { textOf } from './spans.ts'
import { thoughtRow, unitRows } from './reply-rows.ts'
import { type DrawingStyle, styleKey } from './theme.ts'
import { createGrowingMarkdown } from '../markdown/growing.ts'

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

/**
 * How the rows of a reply go on from what stands above them on a screen: `follows` where that is the reply itself,
 * `again` where others stand between, so that its speaker must be told again.
 */
type ReplyJoint = 'follows' | 'again'

/** A reply while it is written: units that are finished and never change, and behind them what is not. Drawn once for each style. */
export interface StreamedReply {
  readonly turn: TurnId
  /** How many units are finished. */
  readonly finished: number
  /** Rows of finished units. */
  rows(from: number, to: number, style: DrawingStyle, joint: ReplyJoint): readonly string[]
  /** Rows of all from that unit on, finished or not, with the last of what the model thinks. */
  live(from: number, style: DrawingStyle, joint: ReplyJoint): readonly string[]
}

/** What gives the reply its text. */
interface ReplyWriter extends StreamedReply {
  /** Both are shown with the next `flush`. */
  write(text: string): void
  think(text: string): void
  /** True if something new is shown. */
  flush(): boolean
  /** All of the reply, as it was recorded. False where something else was shown; then it is to be shown as a whole. */
  finish(text: string): boolean
}

/** So much of the end of a thought is kept, in UTF-16 units. */
const MAX_THOUGHT_LENGTH = 4_000

interface Begun {
  readonly turn: TurnId
  readonly model: string
  /** Milliseconds since the epoch. */
  readonly begunAt: number
}

function createReplyWriter({ turn, model, begunAt }: Begun, tools: MarkdownTools): ReplyWriter {
  const markdown = createGrowingMarkdown(tools)
  const name = shownName(model)
  let text = ''
  let waiting = ''
  let thought = ''
  let isChanged = false
  /** Of now; read again after something new came. */
  let open: readonly Unit[] = []
  const drawn = new WeakMap<Unit, Map<string, readonly string[]>>()

  function draw(
    unit: Unit,
    isFirst: boolean,
    style: DrawingStyle,
    joint: ReplyJoint | undefined,
  ): readonly string[] {
    const label = joint === undefined && !isFirst ? undefined : labelOf(name, isFirst)
    const key = `${styleKey(style)} ${label ? textOf(label) : ''}`
    const styles = drawn.get(unit) ?? new Map<string, readonly string[]>()
    drawn.set(unit, styles)
    const rows =
      styles.get(key) ?? withTimes(unitRows(unit, besideTimes(style), label), style, label && begunAt)
    styles.set(key, rows)
    return rows
  }

  const rowsOf = (
    units: readonly Unit[],
    from: number,
    style: DrawingStyle,
    joint: ReplyJoint,
  ): readonly string[] =>
    units.flatMap((unit, index) =>
      draw(unit, from + index === 0, style, index === 0 && joint === 'again' ? joint : undefined),
    )

  function flush(): boolean {
    const wasChanged = isChanged
    if (waiting !== '') {
      markdown.add(waiting)
      waiting = ''
      open = markdown.open()
    }
    isChanged = false
    return wasChanged
  }

  return {
    turn,
    get finished() {
      return markdown.units.length
    },
    rows: (from, to, style, joint) => rowsOf(markdown.units.slice(from, to), from, style, joint),
    live(from, style, joint) {
      const rows = rowsOf([...markdown.units.slice(from), ...open], from, style, joint)
      return thought === ''
        ? rows
        : [...rows, ...withTimes([thoughtRow(name, thought, besideTimes(style))], style)]
    },
    write(more) {
      text += more
      waiting += more
      // What comes after a thought is the answer to it; what was thought is not shown any more.
      thought = ''
      isChanged = true
    },
    think(more) {
      thought = (thought + more).slice(-MAX_THOUGHT_LENGTH)
      isChanged = true
    },
    flush,
    finish(whole) {
      if (text.trim() !== whole) return false
      flush()
      markdown.finish()
      open = []
      thought = ''
      return true
    },
  }
}

const labelOf = (name: string, isFirst: boolean): readonly Span[] =>
  labelIn(isFirst ? `${name}: ` : `${name} (more): `, { role: 'model' })
