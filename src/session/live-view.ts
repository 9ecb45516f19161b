import type { Entry } from '../chat/entry.ts'
import { createPresenceFold } from '../chat/presence/fold.ts'
import type { Styled } from '../lib/text/styled.ts'
import { createDraftLayout } from './drawing/draft-rows.ts'
import { drawnText, joinTexts, type DrawnText } from './drawing/drawn-text.ts'
import { createFrameWriter, type Composed, type Item } from './frame-writer.ts'
import { EMPTY_DRAFT } from './line-editor.ts'
import { redraw } from './drawing/live-region.ts'
import type { RoomFooter, Terminal } from './ports.ts'
import { NO_REGION, type Region, type WindowSize } from './drawing/region.ts'
import { renderText } from './drawing/render-entry.ts'
import type { SessionView, ViewParts } from './session-view.ts'
import { chooseTheme, type DrawingStyle } from './drawing/theme.ts'

const PASTE_MODE_ON = '\u001b[?2004h'
const PASTE_MODE_OFF = '\u001b[?2004l'
const CLEAR_SCREEN = '\u001b[H\u001b[2J'
const BELL = '\u0007'
const MAX_DRAFT_ROWS = 6
/** Longer texts are written in several pieces, so that one that does not fit takes fewer others with it. */
const MAX_WRITE_UNITS = 16_384

/**
 * The view of a person at a terminal: what was said is appended and becomes native scrollback; below it the footer and
 * the draft are drawn again as they change.
 */
export function createLiveView(
  terminal: Terminal,
  footer: (style: DrawingStyle) => RoomFooter,
  { own, frames, drawEntry, fail }: ViewParts,
): SessionView {
  const theme = chooseTheme(terminal.term, terminal.env)
  const layOut = createDraftLayout()
  const fold = createPresenceFold(own)
  let drawn = NO_REGION
  let draft = EMPTY_DRAFT
  let prefix = PASTE_MODE_ON
  let isClosed = false

  const size = (): WindowSize => terminal.size() ?? { columns: 80, rows: 24 }
  const style = (): DrawingStyle => ({ columns: Math.max(1, size().columns - 1), theme })

  function compose(items: readonly Item[]): Composed {
    const texts = drawItems(items, style())
    const next = region()
    const from = prefix.includes(CLEAR_SCREEN) ? NO_REGION : drawn
    return {
      text: prefix + redraw(from, texts.length > 0 ? joinTexts(texts) : undefined, next),
      items: texts.length,
      written() {
        drawn = next
        prefix = ''
      },
    }
  }

  function drawItems(items: readonly Item[], inStyle: DrawingStyle): readonly DrawnText[] {
    const texts: DrawnText[] = []
    let units = 0
    for (const item of items) {
      if (units > MAX_WRITE_UNITS) break
      const text = drawItem(item, inStyle)
      texts.push(text)
      units += text.text.length
    }
    return texts
  }

  function drawItem(item: Item, inStyle: DrawingStyle): DrawnText {
    if (item.type === 'entry') return drawEntry(item.entry, inStyle)
    return drawnText(renderText(item.text, inStyle), inStyle.columns)
  }

  function region(): Region {
    if (isClosed) return { ...NO_REGION, size: size() }
    const { columns, rows } = size()
    const { replies, status } = footer(style())
    const typed = layOut(draft, columns, Math.max(1, Math.min(MAX_DRAFT_ROWS, rows - 2)))
    const bar = rows > 2 && status !== '' ? [status] : []
    const free = Math.max(0, rows - 1 - bar.length - typed.rows.length)
    const above = free > 0 ? [...comings(), ...replies].slice(-free) : []
    return {
      rows: [...above, ...bar, ...typed.rows],
      cursor: { row: above.length + bar.length + typed.row, column: typed.column },
      size: { columns, rows },
    }
  }

  /** Who came and went since something was said: one row, until something else is said. */
  function comings(): readonly string[] {
    const line = fold.waiting(style().columns)
    return line ? drawEntry(line, style()).text.split('\r\n', 1) : []
  }

  function addEntries(entries: readonly Entry[]): void {
    for (const entry of entries) writer.add({ type: 'entry', entry })
    writer.request()
  }

  function print(text: string | Styled): void {
    addEntries(fold.other(style().columns))
    writer.add({ type: 'print', text })
  }

  const writer = createFrameWriter(terminal, frames, compose, fail)
  terminal.onResize(writer.request)
  writer.request()
  return {
    entry: (entry) => addEntries(fold.take(entry, style().columns)),
    print,
    takes: () => true,
    draft(next) {
      draft = next
      writer.request()
    },
    sent() {},
    refresh: writer.request,
    redraw() {
      if (!prefix.includes(CLEAR_SCREEN)) prefix += CLEAR_SCREEN
      writer.request()
    },
    bell() {
      if (!prefix.includes(BELL)) prefix += BELL
      writer.request()
    },
    close(farewell = '') {
      if (isClosed) return
      addEntries(fold.end(style().columns))
      isClosed = true
      if (farewell !== '') writer.add({ type: 'print', text: farewell })
      writer.close()
      terminal.write(PASTE_MODE_OFF)
    },
  }
}
