import type { ReplyDelta, TurnId } from '../../chat/entry.ts'
import { cleanText } from '../../lib/clean-text.ts'
import type { SessionStatus } from '../ports.ts'
import { statusLine } from './status-line.ts'
import { styleKey, type DrawingStyle } from './theme.ts'
import { wrapText } from './wrap-text.ts'

/** So much of the end of a reply being written is kept for drawing, in UTF-16 units. */
const MAX_REPLY_UNITS = 4_000
const MAX_REPLY_ROWS = 6

/** The replies that models are writing in one room. Their rows are made once for each width. */
export interface Replies {
  add(delta: ReplyDelta): void
  /** The turn is over: what is left of it is an entry. */
  end(turn: TurnId): void
  /** Nobody looks any more. */
  endAll(): void
  rows(columns: number): readonly string[]
}

export function createReplies(): Replies {
  const replies = new Map<TurnId, { readonly model: string; readonly text: string }>()
  const drawn = new Map<number, readonly string[]>()

  function draw(columns: number): readonly string[] {
    return [...replies.values()].flatMap(({ model, text }) => {
      const rows = wrapText(cleanText(`${model}: ${text}`), columns, '  ')
      return rows.length <= MAX_REPLY_ROWS ? rows : ['  …', ...rows.slice(1 - MAX_REPLY_ROWS)]
    })
  }

  return {
    add({ turn, model, text }) {
      const before = replies.get(turn)?.text ?? ''
      replies.set(turn, { model, text: (before + text).slice(-MAX_REPLY_UNITS) })
      drawn.clear()
    },
    end(turn) {
      if (replies.delete(turn)) drawn.clear()
    },
    endAll() {
      replies.clear()
      drawn.clear()
    },
    rows(columns) {
      const rows = drawn.get(columns) ?? draw(columns)
      drawn.set(columns, rows)
      return rows
    },
  }
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
