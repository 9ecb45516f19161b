import type { ReplyDelta, TurnId } from '../chat/entry.ts'
import { cleanText } from '../lib/clean-text.ts'
import { drawDraft } from './draft-rows.ts'
import { emptyDraft } from './draft.ts'
import { noRegion, redraw } from './live-region.ts'
import type { Region } from './live-region.ts'
import type { SessionStatus, Terminal } from './ports.ts'
import { renderEntry, renderText } from './render-entry.ts'
import { statusLine } from './status-line.ts'
import { chooseTheme } from './theme.ts'
import { countSkipped } from './view.ts'
import type { View } from './view.ts'
import { wrapText } from './wrap-text.ts'

const pasteModeOn = '\u001b[?2004h'
const pasteModeOff = '\u001b[?2004l'
const clearScreen = '\u001b[H\u001b[2J'
/** Pieces of replies come by the dozen a second; a person sees no more than this. */
const frameMs = 40
/** The most of a reply being written that is kept for drawing, in UTF-16 units. */
const streamTail = 4_000
const streamRows = 6
const draftRows = 6

/**
 * The view of a person at a terminal: what was said is appended and becomes native scrollback; below it
 * the replies being written, a status line and the draft are drawn again as they change.
 */
export function createLiveView(terminal: Terminal, status: () => SessionStatus): View {
  const theme = chooseTheme(terminal.term, terminal.env)
  const streams = new Map<TurnId, ReplyDelta>()
  let drawn = noRegion
  let draft = emptyDraft
  let timer: NodeJS.Timeout | undefined
  let dueAt = Infinity
  let closed = false

  const size = () => terminal.size() ?? { columns: 80, rows: 24 }
  const page = () => ({ columns: Math.max(1, size().columns - 1), theme })

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
    const typed = drawDraft(draft, columns, Math.max(1, Math.min(draftRows, rows - 2)))
    const bar = rows > 2 && status().room !== '' ? [theme.status(statusLine(status(), columns - 1))] : []
    const room = Math.max(0, rows - 1 - bar.length - typed.rows.length)
    const above = room > 0 ? streamed().slice(-room) : []
    const all = [...above, ...bar, ...typed.rows]
    return { rows: all, cursor: { row: above.length + bar.length + typed.row, column: typed.column } }
  }

  function streamed(): string[] {
    const here = status().room
    return [...streams.values()].filter(({ room }) => room === here).flatMap(drawStream)
  }

  function drawStream({ model, text }: ReplyDelta): string[] {
    const rows = wrapText(cleanText(`${model}: ${text}`), page().columns, '  ')
    return rows.length <= streamRows ? rows : ['  …', ...rows.slice(1 - streamRows)]
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
  terminal.write(pasteModeOn)
  paint()
  return {
    entry(entry) {
      if (entry.kind === 'reply') streams.delete(entry.turn)
      count(paint(renderEntry(entry, page())))
    },
    print: (text) => count(paint(renderText(text, page()))),
    stream(delta) {
      const before = streams.get(delta.turn)?.text ?? ''
      streams.set(delta.turn, { ...delta, text: (before + delta.text).slice(-streamTail) })
      paintWithin(frameMs)
    },
    draft(next) {
      draft = next
      paint()
    },
    sent() {},
    refresh: () => paintWithin(frameMs),
    redraw() {
      if (!closed && terminal.write(clearScreen)) drawn = noRegion
      paint()
    },
    bell: () => void terminal.write('\u0007'),
    close(farewell = '') {
      if (closed) return
      closed = true
      clearTimeout(timer)
      terminal.write(redraw(drawn, renderText(farewell, page()), noRegion, size().columns) + pasteModeOff)
    },
  }
}
