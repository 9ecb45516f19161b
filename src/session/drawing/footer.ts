import type { ReplyDelta, TurnId } from '../../chat/entry.ts'
import { cleanText } from '../../lib/text/clean-text.ts'
import type { SessionStatus } from '../ports.ts'
import { statusLine } from './status-line.ts'
import { styleKey, type DrawingStyle } from './theme.ts'
import { wrapText } from './wrap-text.ts'

/** So much of the end of a reply being written is kept for drawing, in UTF-16 units. */
const MAX_REPLY_UNITS = 4_000
const MAX_REPLY_ROWS = 6

/** The replies that models are writing in one room. Their rows are made once for each style. */
export interface Replies {
  add(delta: ReplyDelta): void
  /** The turn is over: what is left of it is an entry. */
  end(turn: TurnId): void
  /** Nobody looks any more. */
  endAll(): void
  rows(style: DrawingStyle): readonly string[]
}

export function createReplies(): Replies {
  const replies = new Map<TurnId, ReplySoFar>()
  const drawn = new Map<string, readonly string[]>()

  return {
    add({ turn, model, text, thinking }) {
      const before = replies.get(turn) ?? { model, text: '', thought: '' }
      const part = thinking ? 'thought' : 'text'
      // What comes after a thought is the answer to it; what was thought is not shown any more.
      const kept = thinking ? before : { ...before, thought: '' }
      replies.set(turn, { ...kept, [part]: (kept[part] + text).slice(-MAX_REPLY_UNITS) })
      drawn.clear()
    },
    end(turn) {
      if (replies.delete(turn)) drawn.clear()
    },
    endAll() {
      replies.clear()
      drawn.clear()
    },
    rows(style) {
      const key = styleKey(style)
      const rows = drawn.get(key) ?? [...replies.values()].flatMap((reply) => rowsOf(reply, style))
      drawn.set(key, rows)
      return rows
    },
  }
}

/** The ends of what a model wrote and thought. */
interface ReplySoFar {
  readonly model: string
  readonly text: string
  /** Empty while it does not think. */
  readonly thought: string
}

function rowsOf({ model, text, thought }: ReplySoFar, { columns, theme }: DrawingStyle): readonly string[] {
  const rows = text === '' ? [] : wrapText(cleanText(`${model}: ${text}`), columns, '  ')
  const shown = rows.length <= MAX_REPLY_ROWS ? rows : ['  …', ...rows.slice(1 - MAX_REPLY_ROWS)]
  return thought === '' ? shown : [...shown, theme.dim(thoughtRow(model, thought, columns))]
}

/** What a model thinks is folded into one row: the last of what would be shown of it. */
function thoughtRow(model: string, thought: string, columns: number): string {
  const label = `${model} thinks: … `
  const rows = wrapText(
    cleanText(thought.slice(-4 * columns)).trim(),
    Math.max(1, columns - label.length),
    '',
  )
  return wrapText(`${label}${rows.at(-1) ?? ''}`, columns, '')[0] ?? ''
}

/** Draws status lines, each once in a style as long as the same object is given. */
export function createStatusRows(): (status: SessionStatus, style: DrawingStyle) => string {
  const drawn = new WeakMap<SessionStatus, Map<string, string>>()
  return (status, style) => {
    const rows = drawn.get(status) ?? new Map<string, string>()
    drawn.set(status, rows)
    const key = styleKey(style)
    const row = rows.get(key) ?? style.theme.status(statusLine(status, style.columns))
    rows.set(key, row)
    return row
  }
}
