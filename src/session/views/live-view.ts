import type { Entry } from '../../chat/entry.ts'
import { PresenceFold } from '../../chat/presence/fold.ts'
import { headOf } from '../../lib/text/characters.ts'
import type { Styled } from '../../lib/text/styled.ts'
import { createCallFold, createDrawBelow } from './live-rows.ts'
import { rowsOf } from '../drawing/entry-rows.ts'
import { columnsBeside, timeColumn } from '../drawing/time-column.ts'
import { NO_REGION, redrawUnsure, type Region, type WindowSize } from '../drawing/region.ts'
import type { DrawingStyle } from '../drawing/theme.ts'
import { type Composed, FrameWriter, type Item } from './frames.ts'
import { EMPTY_DRAFT } from '../input/edit-commands.ts'
import { type Above, createDrawItems, createShownReplies, createShownSoFar } from './scrollback.ts'
import type { PrintRole, RoomFooter, Terminal } from '../ports.ts'
import type { StreamedReply } from '../drawing/streamed-reply.ts'
import type { SessionView, ViewParts } from './view.ts'
import { OPTIONS } from '../../chat/personal/preferences.ts'
import type { Personal } from './viewer.ts'

/**
 * Turns off what another program left on: reports of mouse and focus, modifyOtherKeys, kitty's keyboard protocol.
 * A terminal without the last two may read them as SGR and as a cursor to restore; DECSC and DECRC keep both.
 */
const REPORTS_OFF =
  '\u001b[?9;1000;1001;1002;1003;1004;1005;1006;1015;1016l\u001b7\u001b[>4m\u001b[=0u\u001b8'
const PASTE_MODE_ON = '\u001b[?2004h'
const PASTE_MODE_OFF = '\u001b[?2004l'
const CLEAR_SCREEN = '\u001b[H\u001b[2J'
const BELL = '\u0007'

/**
 * The view of a person at a terminal: what was said is appended and becomes native scrollback; below it the footer
 * and the draft are drawn again as they change.
 */
export function createLiveView(
  terminal: Terminal,
  footer: (style: DrawingStyle) => RoomFooter,
  { own, personal, frames, drawEntry, drawCall, redraw, now, fail }: ViewParts,
): SessionView {
  const wallNow = (): number => personal.wallNow()
  const fold = new PresenceFold(own)
  const replies = createShownReplies()
  const calls = createCallFold(wallNow)
  const drawItems = createDrawItems({ footer, replies, calls, drawEntry })
  const drawBelow = createDrawBelow({ footer, replies, calls, fold, drawEntry, drawCall, wallNow })
  const recent = new RecentWrites(now)
  let above: Above = { shown: createShownSoFar(personal), reply: undefined }
  let drawn = NO_REGION
  let draft = EMPTY_DRAFT
  let prefix = REPORTS_OFF + PASTE_MODE_ON
  let isClosed = false
  let styleNow: DrawingStyle | undefined
  /** How often the window changed. */
  let changes = 0

  const size = (): WindowSize => terminal.size() ?? { columns: 80, rows: 24 }

  /** The same object as long as nothing of it changes. */
  function style(): DrawingStyle {
    // A terminal goes on in the next row once the last cell of one is filled.
    const columns = Math.max(1, size().columns - 1)
    if (styleNow?.columns !== columns) styleNow = styleFor(personal, columns)
    return styleNow
  }

  /** Cells for what is said, beside the times. */
  const columns = (): number => columnsBeside(style())

  function compose(items: readonly Item[]): Composed {
    const unsure = prefix.includes(CLEAR_SCREEN) ? undefined : recent.unsure()
    const again = unsure?.flatMap((write) => write.items) ?? []
    const all = again.length === 0 ? items : [...again, ...items]
    const from = unsure?.[0]?.from ?? above
    const { texts, taken, after } = drawItems(all, style(), from, again.length)
    const next = region(after.reply)
    const shown = prefix.includes(CLEAR_SCREEN) ? NO_REGION : drawn
    return {
      text: prefix + (unsure ? redrawUnsure(texts, next) : redraw(shown, texts, next)),
      items: taken - again.length,
      written() {
        const rows = rowsOf(texts)
        const write = rows > 0 ? { items: all.slice(0, taken), rows, from } : undefined
        recent.wrote(write, next.size.rows)
        drawn = next
        above = after
        prefix = ''
      },
    }
  }

  const region = (last: StreamedReply | undefined): Region =>
    isClosed ? { ...NO_REGION, size: size() } : drawBelow(draft, style(), size(), last)

  /** Parts of replies that are finished, below who came and went before them. */
  function gather(): readonly Item[] {
    const parts = isClosed ? [] : replies.take(footer(style()).replies)
    if (parts.length === 0) return []
    const before = fold.other(style().columns).map((entry): Item => ({ type: 'entry', entry }))
    return [...before, ...parts.map((part): Item => ({ type: 'part', ...part }))]
  }

  /** `waiting` is one that waits for the person. */
  function addEntries(entries: readonly Entry[], waiting?: Entry): void {
    for (const entry of entries)
      writer.add({ type: 'entry', entry, waits: entry === waiting ? true : undefined })
  }

  function ring(): void {
    if (!prefix.includes(BELL)) prefix += BELL
    writer.request()
  }

  function print(text: string | Styled, role?: PrintRole): void {
    addEntries(fold.other(columns()))
    writer.add({ type: 'print', text, role })
  }

  const writer = new FrameWriter(terminal, frames, { compose, gather, fail })
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
    styleNow = undefined
    writer.request()
  })
  writer.request()
  return {
    entry(entry, { isPast, waits } = {}) {
      if (!isPast && personal.bell.ringsFor(entry)) ring()
      for (const one of calls.take(entry)) addEntries(fold.take(one, columns()), waits ? entry : undefined)
      if (entry.kind === 'presence') writer.requestCalmly()
      else writer.request()
    },
    print: (text, role) => print(text, role),
    message(message, onRead) {
      addEntries(fold.other(columns()))
      writer.add({ type: 'message', message, onRead })
    },
    echo: (line) => print(`> ${firstLineOf(line)}`, 'dim'),
    takes: () => true,
    draft(next) {
      draft = next
      writer.request()
    },
    sent() {},
    refresh: () => writer.request(),
    redraw() {
      if (!prefix.includes(CLEAR_SCREEN)) prefix += CLEAR_SCREEN
      writer.request()
    },
    bell() {
      if (personal.bell.mayRing()) ring()
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

/** What one write put above. */
interface RecentWrite {
  readonly items: readonly Item[]
  /** How many rows it had in the window of the time. */
  readonly rows: number
  /** What stood above before it. */
  readonly from: Above
}

/** No connection takes longer to tell of a window and to answer. */
const KEPT_MS = 2_000

/**
 * The last writes, for a window that changes: until the server hears of the change it writes for the old window,
 * and nobody knows which of that the terminal took for the new one.
 */
class RecentWrites {
  readonly #now: () => number
  readonly #writes: (RecentWrite & { readonly at: number })[] = []
  #rows = 0
  #lastAt = -Infinity
  /** When the server was told of the first of several quick changes. */
  #changedAt: number | undefined
  /** What was written after this moment is unsure. */
  #sureUntil = Infinity

  /** `now` gives milliseconds that never go back. */
  constructor(now: () => number) {
    this.#now = now
  }

  /** At each write; `write` is absent if it only drew below. It has what was unsure, so all is sure again. */
  wrote(write: RecentWrite | undefined, windowRows: number): void {
    if (this.#isUnsure()) this.#forget(() => true)
    this.#lastAt = this.#now()
    this.#sureUntil = Infinity
    if (write) {
      this.#writes.push({ at: this.#lastAt, ...write })
      this.#rows += write.rows
    }
    // No window reaches what has left it at the top.
    this.#forget(({ at }) => at < this.#lastAt - KEPT_MS || this.#rows > windowRows)
  }

  changed(): void {
    this.#changedAt ??= this.#now()
  }

  /** The client has read all that was written before the last change. */
  answered(): void {
    if (this.#changedAt === undefined) return
    // News of the change took as long as the answer, and the terminal behind the client hears of it later.
    this.#sureUntil = Math.min(this.#sureUntil, this.#changedAt - 2 * (this.#now() - this.#changedAt))
    this.#changedAt = undefined
  }

  /** What has to be written again; undefined if all was taken for the old window. */
  unsure(): readonly RecentWrite[] | undefined {
    return this.#isUnsure() ? this.#writes.filter(({ at }) => at > this.#sureUntil) : undefined
  }

  #isUnsure(): boolean {
    return this.#lastAt > this.#sureUntil
  }

  #forget(isOver: (oldest: { readonly at: number }) => boolean): void {
    for (let [oldest] = this.#writes; oldest && isOver(oldest); [oldest] = this.#writes) {
      this.#writes.shift()
      this.#rows -= oldest.rows
    }
  }
}
