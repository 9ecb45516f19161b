import type { Entry } from '../chat/entry.ts'
import { createPresenceFold } from '../chat/presence/fold.ts'
import { headOf } from '../lib/text/characters.ts'
import type { Styled } from '../lib/text/styled.ts'
import { createDraftLayout } from './drawing/draft-rows.ts'
import { drawnRows, drawnText, joinTexts, type DrawnText } from './drawing/drawn-text.ts'
import { createFrameWriter, type Composed, type Item } from './frame-writer.ts'
import { EMPTY_DRAFT } from './line-editor.ts'
import { redraw, redrawUnsure } from './drawing/live-region.ts'
import { besideTimes, withTimes } from './drawing/margin.ts'
import { OPTIONS } from '../chat/preferences/options.ts'
import { withCall } from './drawing/aspect.ts'
import { createCallFold } from './calls.ts'
import type { Personal } from './personal.ts'
import type { PrintRole, RoomFooter, Terminal } from './ports.ts'
import { NO_REGION, type Region, type WindowSize } from './drawing/region.ts'
import { billRows, renderText } from './drawing/render-entry.ts'
import { createShownReplies, jointOf, type ReplyPart } from './replies/shown-replies.ts'
import type { StreamedReply } from './replies/streamed-reply.ts'
import { createRecentWrites } from './recent-writes.ts'
import type { SessionView, ViewParts } from './session-view.ts'
import type { DrawingStyle } from './drawing/theme.ts'
import { timeColumn } from './drawing/times.ts'
import { createPage, type ShownPage } from './page.ts'

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
  { own, personal, frames, drawEntry, drawCall, now, fail }: ViewParts,
): SessionView {
  const layOut = createDraftLayout()
  const fold = createPresenceFold(own)
  const replies = createShownReplies()
  const calls = createCallFold(() => personal.wallNow())
  const recent = createRecentWrites<{ readonly page: ShownPage; readonly above: StreamedReply | undefined }>(
    now,
  )
  let page: ShownPage = createPage(personal)
  let styled: DrawingStyle | undefined
  let drawn = NO_REGION
  /** The reply to which the last row above belongs. */
  let above: StreamedReply | undefined
  let draft = EMPTY_DRAFT
  let prefix = PASTE_MODE_ON
  let isClosed = false
  /** How often the window changed. */
  let changes = 0

  const size = (): WindowSize => terminal.size() ?? { columns: 80, rows: 24 }

  function style(): DrawingStyle {
    const columns = Math.max(1, size().columns - 1)
    if (styled?.columns !== columns) styled = styleFor(personal, columns)
    return styled
  }

  /** Cells for what is said, beside the times. */
  const columns = (): number => style().columns - (style().times?.cells ?? 0)

  function compose(items: readonly Item[]): Composed {
    const unsure = prefix.includes(CLEAR_SCREEN) ? undefined : recent.unsure()
    const again = unsure?.flatMap((write) => write.items) ?? []
    const from = unsure?.[0]?.from ?? { page, above }
    const { texts, taken, after, last } = drawItems([...again, ...items], style(), from, again.length)
    const next = region(last)
    const text = texts.length > 0 ? joinTexts(texts) : undefined
    const shown = prefix.includes(CLEAR_SCREEN) ? NO_REGION : drawn
    return {
      text: prefix + (unsure ? redrawUnsure(text, next) : redraw(shown, text, next)),
      items: taken - again.length,
      written() {
        const all = [...again, ...items].slice(0, taken)
        recent.wrote(text && { items: all, rows: text.rows, from }, next.size.rows)
        drawn = next
        above = last
        page = after
        prefix = ''
      },
    }
  }

  /**
   * As many as fit one write, but at least `least`, from what is shown. `after` is the page with the items on it, and `last` the
   * reply that its last row belongs to.
   */
  function drawItems(
    items: readonly Item[],
    inStyle: DrawingStyle,
    from: { readonly page: ShownPage; readonly above: StreamedReply | undefined },
    least: number,
  ) {
    const texts: DrawnText[] = []
    let { page: after, above: last } = from
    let [units, taken] = [0, 0]
    for (const item of items) {
      if (units > MAX_WRITE_UNITS && taken >= least) break
      const drawn = drawItem(item, inStyle, after, last)
      after = drawn.next
      last = item.type === 'part' ? item.reply : undefined
      taken += 1
      if (drawn.text.rows === 0) continue
      texts.push(drawn.text)
      units += drawn.text.text.length
    }
    return { texts, taken, after, last }
  }

  function drawItem(item: Item, inStyle: DrawingStyle, on: ShownPage, last: StreamedReply | undefined) {
    if (item.type === 'part') return { text: drawPart(item, [], inStyle, last), next: on.printed() }
    if (item.type !== 'entry') {
      const rows = inRole(
        renderText(item.text, inStyle),
        item.type === 'print' ? item.role : undefined,
        inStyle,
      )
      return { text: drawnText(rows, inStyle.columns), next: on.printed() }
    }
    const { entry } = item
    const { aspect, dayLine, next } = on.entry(entry, inStyle)
    const rest = replies.rest(entry, footer(inStyle).replyOf(entry))
    if (rest) return { text: drawPart(rest, billRows(entry, besideTimes(inStyle)), inStyle, last), next }
    const text = drawEntry(entry, inStyle, withCall(aspect, calls.callOf(entry)))
    if (dayLine === undefined) return { text, next }
    const line = { lines: [[{ text: dayLine, role: 'system' }]] } as const
    return { text: joinTexts([drawnText(renderText(line, inStyle), inStyle.columns), text]), next }
  }

  /** What of a reply is not yet above, with its bill. */
  function drawPart(
    { reply, from, to }: ReplyPart,
    bill: readonly string[],
    inStyle: DrawingStyle,
    last: StreamedReply | undefined,
  ): DrawnText {
    const rows = reply.rows(from, to, inStyle, jointOf(reply, last))
    return drawnRows([...rows, ...withTimes(bill, inStyle)], inStyle.columns)
  }

  /** Parts of replies that are finished, below who came and went before them. */
  function gather(): readonly Item[] {
    const parts = isClosed ? [] : replies.take(footer(style()).replies)
    if (parts.length === 0) return []
    const before = fold.other(style().columns).map((entry): Item => ({ type: 'entry', entry }))
    return [...before, ...parts.map((part): Item => ({ type: 'part', ...part }))]
  }

  function region(last: StreamedReply | undefined): Region {
    if (isClosed) return { ...NO_REGION, size: size() }
    const { columns, rows } = size()
    const { replies: written, status, progressOf } = footer(style())
    const typed = layOut(draft, columns, Math.max(1, Math.min(MAX_DRAFT_ROWS, rows - 2)))
    const bar = rows > 2 && status !== '' ? [status] : []
    const free = Math.max(0, rows - 1 - bar.length - typed.rows.length)
    const live = [...replies.live(written, style(), last), ...running(progressOf), ...comings()]
    const shown = free > 0 ? live.slice(-free) : []
    return {
      rows: [...shown, ...bar, ...typed.rows],
      live: shown.length,
      cursor: { row: shown.length + bar.length + typed.row, column: typed.column },
      size: { columns, rows },
    }
  }

  /** The tools that run. */
  const running = (progressOf: RoomFooter['progressOf']): readonly string[] =>
    calls.waiting().map((call) => drawCall(call, personal.wallNow() - call.at, style(), progressOf?.(call)))

  /** Who came and went since something was said: one row, until something else is said. */
  function comings(): readonly string[] {
    const line = fold.waiting(columns())
    return line ? drawEntry(line, style()).text.split('\r\n', 1) : []
  }

  function addEntries(entries: readonly Entry[]): void {
    for (const entry of entries) writer.add({ type: 'entry', entry })
    writer.request()
  }

  function ring(): void {
    if (!prefix.includes(BELL)) prefix += BELL
    writer.request()
  }

  function print(text: string | Styled, role?: PrintRole, onRead?: () => void): void {
    addEntries(fold.other(columns()))
    writer.add({ type: 'print', text, role, onRead })
  }

  const writer = createFrameWriter(terminal, frames, compose, gather, fail)
  terminal.onResize(() => {
    recent.changed()
    const change = ++changes
    const release = writer.hold()
    terminal.whenRead(() => {
      if (change !== changes) return
      recent.answered()
      release()
    })
  })
  personal.onChange(() => {
    styled = undefined
    writer.request()
  })
  writer.request()
  return {
    entry(entry, past) {
      if (past === undefined && personal.rings(entry)) ring()
      for (const one of calls.take(entry)) addEntries(fold.take(one, columns()))
      writer.request()
    },
    print: (text, role) => print(text, role),
    printUntilRead: (text, onRead) => print(text, undefined, onRead),
    echo: (line) => print(`> ${firstLineOf(line)}`, 'dim'),
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
      if (personal.mayRing()) ring()
    },
    close(farewell = '') {
      if (isClosed) return
      addEntries(fold.end(columns()))
      isClosed = true
      if (farewell !== '') writer.add({ type: 'print', text: farewell })
      writer.close()
      terminal.write(PASTE_MODE_OFF)
    },
  }
}

/** Each row by itself: a row may be cut where it is drawn again. */
function inRole(rows: string, role: PrintRole | undefined, { theme }: DrawingStyle): string {
  if (!role) return rows
  return rows
    .split('\n')
    .map((row) => (row === '' ? '' : theme[role](row)))
    .join('\n')
}

/** Of a command that is repeated no more is shown, in UTF-16 units. */
const MAX_ECHO_UNITS = 200

function firstLineOf(line: string): string {
  const [first = ''] = line.split('\n', 1)
  const shown = headOf(first, MAX_ECHO_UNITS)
  return shown.length < line.length ? `${shown} …` : shown
}

/** Until somebody sets another, the usual column of times. */
function styleFor(personal: Personal, columns: number): DrawingStyle {
  const asked = personal.times() ?? OPTIONS.timestamps.usual
  const times = asked === 'off' ? undefined : timeColumn(asked, personal.zone, columns)
  return { columns, theme: personal.theme(), times }
}
