import type { Entry, ReplyDelta, TurnId } from '../../words/entry.ts'
import type { Unit } from '../markdown/blocks.ts'
import { shownName } from '../../words/entry-text.ts'
import type { MarkdownTools } from '../markdown/highlight.ts'
import { besideTimes, withTimes } from './time-column.ts'
import type { SpanStyle } from '../../base/text/styled.ts'
import { labelSpans } from './entry-look.ts'
import { textOf } from './spans.ts'
import { thoughtRow, unitRows } from './reply-rows.ts'
import { usualModelStyle } from '../../chat/personal/index.ts'
import { createMemo, type DrawingStyle, styleKey } from './theme.ts'
import { GrowingMarkdown } from '../markdown/growing.ts'

export interface RepliesParts {
  readonly tools: () => MarkdownTools
  readonly wallNow: () => number
  readonly modelStyle?: (name: string) => SpanStyle
}

export function createReplies({ tools, wallNow, modelStyle = usualModelStyle }: RepliesParts) {
  const writers = new Map<TurnId, StreamedReply>()
  const recorded = new WeakMap<Entry, StreamedReply>()

  return {
    add({ turn, model, text, thinking }: ReplyDelta): void {
      const writer =
        writers.get(turn) ??
        new StreamedReply({ turn, model, nameStyle: modelStyle(model), begunAt: wallNow() }, tools())
      writers.set(turn, writer)
      if (thinking) writer.think(text)
      else writer.write(text)
    },
    /** True if something new is to be shown. */
    flush: () => [...writers.values()].filter((writer) => writer.flush()).length > 0,
    /** Ends a turn's reply, whose rest is shown with `entry`. */
    end(turn: TurnId, entry: Entry): void {
      const writer = writers.get(turn)
      if (writer && entry.kind === 'reply' && writer.finish(entry.text)) recorded.set(entry, writer)
      writers.delete(turn)
    },
    endAll: () => writers.clear(),
    /** The replies being written, in the order in which they began. */
    now: (): readonly StreamedReply[] => [...writers.values()],
    /** Returns undefined if nothing was shown of the recorded reply, or another text. */
    of: (entry: Entry) => recorded.get(entry),
  }
}

const MAX_THOUGHT_UNITS = 4_000

const once = createMemo<readonly string[]>()

interface ReplyBeginning {
  readonly turn: TurnId
  readonly model: string
  readonly nameStyle: SpanStyle
  /** Wall clock, in milliseconds. */
  readonly begunAt: number
}

/** A reply while it is written. Finished units never change. Added text is shown after the next `flush`. */
export class StreamedReply {
  readonly turn: TurnId
  readonly #name: string
  readonly #nameStyle: SpanStyle
  readonly #begunAt: number
  readonly #markdown: GrowingMarkdown
  #text = ''
  #waiting = ''
  #thought = ''
  #isChanged = false
  #open: readonly Unit[] = []

  constructor({ turn, model, nameStyle, begunAt }: ReplyBeginning, tools: MarkdownTools) {
    this.turn = turn
    this.#name = shownName(model)
    this.#nameStyle = nameStyle
    this.#begunAt = begunAt
    this.#markdown = new GrowingMarkdown(tools)
  }

  get finished(): number {
    return this.#markdown.units.length
  }

  /** `follows`: the row above is this reply's; if not, its speaker is named again. */
  rows(from: number, to: number, style: DrawingStyle, follows: boolean): readonly string[] {
    return this.#rowsOf(this.#markdown.units.slice(from, to), from, style, follows)
  }

  /** Returns the rows from unit `from` on, unfinished units and the latest thought included. */
  live(from: number, style: DrawingStyle, follows: boolean): readonly string[] {
    const rows = this.#rowsOf([...this.#markdown.units.slice(from), ...this.#open], from, style, follows)
    if (this.#thought === '') return rows
    return [...rows, ...withTimes([thoughtRow(this.#name, this.#thought, besideTimes(style))], style)]
  }

  write(more: string): void {
    this.#text += more
    this.#waiting += more
    // The answer comes after the thought.
    this.#thought = ''
    this.#isChanged = true
  }

  think(more: string): void {
    this.#thought = (this.#thought + more).slice(-MAX_THOUGHT_UNITS)
    this.#isChanged = true
  }

  flush(): boolean {
    const wasChanged = this.#isChanged
    if (this.#waiting !== '') {
      this.#markdown.add(this.#waiting)
      this.#waiting = ''
      this.#open = this.#markdown.open()
    }
    this.#isChanged = false
    return wasChanged
  }

  /** Returns false if the text differs from the recorded reply. */
  finish(whole: string): boolean {
    if (this.#text.trim() !== whole) return false
    this.flush()
    this.#markdown.finish()
    this.#open = []
    this.#thought = ''
    return true
  }

  #rowsOf(units: readonly Unit[], from: number, style: DrawingStyle, follows: boolean): readonly string[] {
    return units.flatMap((unit, index) => {
      const isFirst = from + index === 0
      const label =
        isFirst || (index === 0 && !follows)
          ? labelSpans(isFirst ? `${this.#name}: ` : `${this.#name} (more): `, this.#nameStyle)
          : undefined
      return once(unit, `${styleKey(style)} ${label ? textOf(label) : ''}`, () =>
        unitRows(unit, style, { label, at: label && this.#begunAt }),
      )
    })
  }
}

export interface ReplyPart {
  readonly reply: StreamedReply
  readonly from: number
  readonly to: number
}
