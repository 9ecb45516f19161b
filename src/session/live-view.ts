import type { ReplyDelta, TurnId } from '../chat/entry.ts'
import { cleanText } from '../lib/clean-text.ts'
import { drawDraft } from './draft-rows.ts'
import { EMPTY_DRAFT } from './line-editor.ts'
import { NO_REGION, redraw, type Region } from './live-region.ts'
import type { SessionStatus, Terminal } from './ports.ts'
import { renderEntry, renderText } from './render-entry.ts'
import { countSkipped, type SessionView } from './session-view.ts'
import { statusLine } from './status-line.ts'
import { chooseTheme } from './theme.ts'
import { wrapText } from './wrap-text.ts'

const PASTE_MODE_ON = '\u001b[?2004h'
const PASTE_MODE_OFF = '\u001b[?2004l'
const CLEAR_SCREEN = '\u001b[H\u001b[2J'
/** Pieces of replies come by the dozen a second; the screen is drawn at most once in this time. */
const FRAME_MS = 40
/** So much of the end of a reply being written is kept for drawing, in UTF-16 units. */
const MAX_STREAM_UNITS = 4_000
const MAX_STREAM_ROWS = 6
const MAX_DRAFT_ROWS = 6

/**
 * The view of a person at a terminal: what was said is appended and becomes native scrollback; below it
 * the replies being written, a status line and the draft are drawn again as they change.
 */
export function createLiveView(terminal: Terminal, status: () => SessionStatus): SessionView {
  const theme = chooseTheme(terminal.term, terminal.env)
  const streams = new Map<TurnId, ReplyDelta>()
  let drawn = NO_REGION
  let draft = EMPTY_DRAFT
  let timer: NodeJS.Timeout | undefined
  let dueAt = Infinity
  let closed = false

  const size = () => terminal.size() ?? { columns: 80, rows: 24 }
  const style = () => ({ columns: Math.max(1, size().columns - 1), theme })

  /** Writes all of it or, if the queue is full, nothing: then the terminal still shows `drawn`. */
  function paint(text = ''): boolean {
    if (closed) return true
    const next = compose()
    if (!terminal.write(redraw(drawn, text, next, size().columns))) return false
    drawn = next
    return true
  }

  function compose(): Region {
    const { columns, rows } = size()
    const typed = drawDraft(draft, columns, Math.max(1, Math.min(MAX_DRAFT_ROWS, rows - 2)))
    const bar = rows > 2 && status().room !== '' ? [theme.status(statusLine(status(), columns - 1))] : []
    const free = Math.max(0, rows - 1 - bar.length - typed.rows.length)
    const above = free > 0 ? streamed().slice(-free) : []
    const all = [...above, ...bar, ...typed.rows]
    return { rows: all, cursor: { row: above.length + bar.length + typed.row, column: typed.column } }
  }

  function streamed(): string[] {
    const here = status().room
    return [...streams.values()].filter(({ room }) => room === here).flatMap(drawStream)
  }

  function drawStream({ model, text }: ReplyDelta): string[] {
    const rows = wrapText(cleanText(`${model}: ${text}`), style().columns, '  ')
    return rows.length <= MAX_STREAM_ROWS ? rows : ['  …', ...rows.slice(1 - MAX_STREAM_ROWS)]
  }

  function paintWithin(ms: number): void {
    const due = Date.now() + ms
    if (closed || due >= dueAt) return
    clearTimeout(timer)
    dueAt = due
    timer = setTimeout(() => {
      dueAt = Infinity
      paint()
    }, ms)
  }

  const count = countSkipped(terminal, (notice) => paint(notice))
  terminal.onResize(() => paint())
  terminal.write(PASTE_MODE_ON)
  paint()
  return {
    entry(entry) {
      if (entry.kind === 'reply') streams.delete(entry.turn)
      count(paint(renderEntry(entry, style())))
    },
    print: (text) => count(paint(renderText(text, style()))),
    stream(delta) {
      const before = streams.get(delta.turn)?.text ?? ''
      streams.set(delta.turn, { ...delta, text: (before + delta.text).slice(-MAX_STREAM_UNITS) })
      paintWithin(FRAME_MS)
    },
    takes: () => true,
    draft(next) {
      draft = next
      paint()
    },
    sent() {},
    refresh: () => paintWithin(FRAME_MS),
    redraw() {
      if (!closed && terminal.write(CLEAR_SCREEN)) drawn = NO_REGION
      paint()
    },
    bell: () => void terminal.write('\u0007'),
    close(farewell = '') {
      if (closed) return
      closed = true
      clearTimeout(timer)
      terminal.write(redraw(drawn, renderText(farewell, style()), NO_REGION, size().columns) + PASTE_MODE_OFF)
    },
  }
}
