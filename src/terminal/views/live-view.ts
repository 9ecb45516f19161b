import type { Entry } from '../../words/entry.ts'
import { PresenceFold } from '../../chat/presence/index.ts'
import { OPTIONS } from '../../chat/personal/index.ts'
import type { PersonalMessage } from '../../chat/talk/index.ts'
import type { StyledText } from '../../base/text/styled.ts'
import { drawCall } from '../drawing/call-row.ts'
import { createDraftLayout } from '../drawing/draft-rows.ts'
import { rowsOf } from '../drawing/drawn-text.ts'
import type { Region, WindowSize } from '../drawing/region-diff.ts'
import { columnsBeside, dayOf, timeColumn } from '../drawing/time-column.ts'
import { NO_REGION, paintRegion, paintUnsureRegion } from '../drawing/region.ts'
import type { DrawingStyle } from '../drawing/theme.ts'
import { type ComposedFrame, FrameWriter, type Item } from './frames.ts'
import { type Draft, EMPTY_DRAFT } from '../input/edit-commands.ts'
import { PendingCalls } from './pending-calls.ts'
import { type LastDrawn, createDrawItems, ReplyProgress } from './draw-items.ts'
import type { Delivery, PrintRole, RoomFooter, Terminal } from '../ports.ts'
import { clipboardOf, firstLineOf, type SessionView, type ViewParts } from './view.ts'

/**
 * Turns off what another program left on: mouse and focus reports, modifyOtherKeys, kitty's keyboard
 * protocol, win32-input-mode. Terminals without the third and fourth may read them as SGR and as a command to
 * restore the cursor, so DECSC and DECRC save both.
 */
const REPORTS_OFF =
  '\u001b[?9;1000;1001;1002;1003;1004;1005;1006;1015;1016;9001l\u001b7\u001b[>4m\u001b[=0u\u001b8'
const PASTE_MODE_ON = '\u001b[?2004h'
const PASTE_MODE_OFF = '\u001b[?2004l'
const CLEAR_SCREEN = '\u001b[H\u001b[2J'
const BELL = '\u0007'

const MAX_DRAFT_ROWS = 6

interface RecentWrite {
  readonly at: number
  readonly items: readonly Item[]
  readonly rows: number
  readonly from: LastDrawn
}

const RECENT_MS = 2_000

/** Appends entries to the terminal's own scrollback, and redraws the footer and the draft below them. */
export class LiveView implements SessionView {
  readonly #terminal: Terminal
  readonly #footer: (style: DrawingStyle) => RoomFooter
  readonly #parts: ViewParts
  readonly #writer: FrameWriter
  readonly #presence: PresenceFold
  readonly #replies = new ReplyProgress()
  readonly #calls: PendingCalls
  readonly #drawItems: ReturnType<typeof createDrawItems>
  readonly #layOutDraft = createDraftLayout()
  #above: LastDrawn
  #drawn = NO_REGION
  #draft = EMPTY_DRAFT
  #prefix = REPORTS_OFF + PASTE_MODE_ON
  #style: DrawingStyle | undefined
  #isClosed = false
  #recent: readonly RecentWrite[] = []
  #writtenAt = -Infinity
  /** The terminal may have wrapped text that was written after this time for another window size. */
  #sureUntil = Infinity
  /** When a region of the drawn size was first written. */
  #sizedAt = -Infinity
  #resizes = 0
  #resizedAt: number | undefined
  /** True if a resize that is not confirmed made the window smaller. */
  #isSmaller = false

  constructor(terminal: Terminal, footer: (style: DrawingStyle) => RoomFooter, parts: ViewParts) {
    const { personal, drawEntry } = parts
    this.#terminal = terminal
    this.#footer = footer
    this.#parts = parts
    this.#presence = new PresenceFold(parts.own)
    this.#calls = new PendingCalls(personal.wallNow)
    const replies = this.#replies
    this.#drawItems = createDrawItems({ footer, replies, calls: this.#calls, drawEntry, personal })
    this.#above = { day: dayOf(personal.wallNow(), personal.zone) }
    this.#writer = new FrameWriter(terminal, {
      ...parts,
      compose: (items) => this.#compose(items),
      gather: () => this.#gather(),
    })
    this.refresh()
  }

  entry(entry: Entry, how: Delivery = {}): void {
    if (!how.isPast && this.#parts.personal.bell.ringsFor(entry)) this.#ring()
    for (const one of this.#calls.take(entry))
      this.#addEntries(this.#presence.take(one, this.#columns()), entry, how)
    if (entry.kind === 'presence') this.#writer.requestCalmly()
    else this.refresh()
  }

  print(text: string | StyledText, role?: PrintRole): void {
    this.#addEntries(this.#presence.other(this.#columns()))
    this.#writer.add({ type: 'print', text, role })
  }

  message(message: PersonalMessage, onRead?: () => void): void {
    this.#addEntries(this.#presence.other(this.#columns()))
    this.#writer.add({ type: 'message', message, onRead })
  }

  echo(line: string): void {
    this.print(`> ${firstLineOf(line)}`, 'dim')
  }

  takes(): boolean {
    return true
  }

  draft(draft: Draft): void {
    this.#draft = draft
    this.refresh()
  }

  /** Shows nothing: a command is echoed, and speech comes back as an entry. */
  lineEntered(): void {}

  refresh(): void {
    this.#writer.request()
  }

  clear(): void {
    if (!this.#isCleared()) this.#prefix += CLEAR_SCREEN
    this.refresh()
  }

  bell(): void {
    if (this.#parts.personal.bell.mayRing()) this.#ring()
  }

  copy(text: string): boolean {
    this.#prefix += clipboardOf(text)
    this.refresh()
    return true
  }

  /** Marks recent writes as unsure if the window shrank: until this notice they were for the old size. */
  resized(): void {
    const { now } = this.#parts
    const [{ columns, rows }, before] = [this.#size(), this.#drawn.size]
    this.#isSmaller ||= columns < before.columns || rows < before.rows
    this.#resizedAt ??= now()
    const resize = ++this.#resizes
    this.#writer.hold()
    this.#terminal.whenRead(() => {
      if (resize !== this.#resizes || this.#resizedAt === undefined) return
      // The notice of the resize took about as long as this answer. Twice that time allows for the delay
      // behind the client.
      const sureUntil = this.#resizedAt - 2 * (now() - this.#resizedAt)
      if (this.#isSmaller) this.#sureUntil = Math.min(this.#sureUntil, sureUntil)
      this.#resizedAt = undefined
      this.#isSmaller = false
      this.#writer.release()
    })
  }

  drained(): void {
    this.#writer.drained()
  }

  settingsChanged(): void {
    this.#style = undefined
    this.refresh()
  }

  close(farewell = ''): void {
    if (this.#isClosed) return
    this.#addEntries(this.#presence.end(this.#columns()))
    this.#isClosed = true
    if (farewell !== '') this.#writer.add({ type: 'print', text: farewell })
    this.#writer.close()
    this.#terminal.write(PASTE_MODE_OFF)
  }

  #ring(): void {
    if (!this.#prefix.startsWith(BELL)) this.#prefix = BELL + this.#prefix
    this.refresh()
  }

  #addEntries(entries: readonly Entry[], taken?: Entry, how?: Delivery): void {
    for (const entry of entries)
      this.#writer.add({ type: 'entry', entry, how: entry === taken ? how : undefined })
  }

  #gather(): readonly Item[] {
    const style = this.#styleNow()
    const parts = this.#isClosed ? [] : this.#replies.take(this.#footer(style).replies)
    if (parts.length === 0) return []
    const before = this.#presence.other(style.columns).map((entry): Item => ({ type: 'entry', entry }))
    return [...before, ...parts.map((part): Item => ({ type: 'part', ...part }))]
  }

  #compose(items: readonly Item[]): ComposedFrame {
    const isUnsure = this.#writtenAt > this.#sureUntil && !this.#isCleared()
    const unsure = isUnsure ? this.#recent.filter(({ at }) => at > this.#sureUntil) : []
    const again = unsure.flatMap((write) => write.items)
    const all = again.length === 0 ? items : [...again, ...items]
    const from = unsure[0]?.from ?? this.#above
    const { texts, taken, after } = this.#drawItems(all, this.#styleNow(), from, again.length)
    const next = this.#region(after)
    const shown = this.#isCleared() ? NO_REGION : this.#drawn
    const painted = isUnsure
      ? paintUnsureRegion(shown, texts, next, this.#sizedAt <= this.#sureUntil)
      : paintRegion(shown, texts, next)
    return {
      text: this.#prefix + painted,
      items: taken - again.length,
      written: () => {
        this.#remember({ items: all.slice(0, taken), rows: rowsOf(texts), from }, next.size.rows)
        if (next.size.columns !== this.#drawn.size.columns) this.#sizedAt = this.#writtenAt
        this.#drawn = next
        this.#above = after
        this.#prefix = ''
      },
    }
  }

  /** Rows from the top: replies being written, pending calls, joins and leaves, the status, the draft. */
  #region(above: LastDrawn): Region {
    const size = this.#size()
    if (this.#isClosed) return { ...NO_REGION, size }
    const style = this.#styleNow()
    const { room, replies, status, progressOf } = this.#footer(style)
    if (room !== undefined) this.#calls.keepOnly(room)
    const live = [
      ...this.#replies.live(replies, style, above),
      ...this.#pendingRows(style, progressOf),
      ...this.#presenceRows(style),
    ]
    const { columns, rows } = size
    const typed = this.#layOutDraft(this.#draft, columns, Math.max(1, Math.min(MAX_DRAFT_ROWS, rows - 2)))
    const bar = rows > 2 && status !== '' ? [status] : []
    const free = Math.max(0, rows - 1 - bar.length - typed.rows.length)
    const shown = free > 0 ? live.slice(-free) : []
    return {
      rows: [...shown, ...bar, ...typed.rows],
      live: shown.length,
      cursor: { row: shown.length + bar.length + typed.row, column: typed.column },
      size,
    }
  }

  #pendingRows(style: DrawingStyle, progressOf: RoomFooter['progressOf']): readonly string[] {
    return this.#calls.all().map((call) => {
      const progress = call.kind === 'tool_call' ? progressOf?.(call) : undefined
      return drawCall(call, this.#parts.personal.wallNow() - call.at, style, progress)
    })
  }

  #presenceRows(style: DrawingStyle): readonly string[] {
    const line = this.#presence.waiting(columnsBeside(style))
    return line ? this.#parts.drawEntry(line, style).text.split('\r\n') : []
  }

  /** Remembers a write, which has repeated the unsure writes. */
  #remember(write: Omit<RecentWrite, 'at'>, windowRows: number): void {
    const at = this.#parts.now()
    const sure = this.#writtenAt > this.#sureUntil ? [] : this.#recent
    const recent = write.rows > 0 ? [...sure, { at, ...write }] : sure
    let rows = 0
    const last = recent.findLastIndex((one) => one.at < at - RECENT_MS || (rows += one.rows) > windowRows)
    this.#recent = last < 0 ? recent : recent.slice(last + 1)
    this.#writtenAt = at
    this.#sureUntil = Infinity
  }

  #isCleared(): boolean {
    return this.#prefix.includes(CLEAR_SCREEN)
  }

  #size(): WindowSize {
    return this.#terminal.size() ?? { columns: 80, rows: 24 }
  }

  #columns(): number {
    return columnsBeside(this.#styleNow())
  }

  /** Returns the same object as long as nothing in it changes. */
  #styleNow(): DrawingStyle {
    // The last cell stays free, since some terminals wrap once it is filled.
    const columns = Math.max(1, this.#size().columns - 1)
    if (this.#style?.columns === columns) return this.#style
    const { personal } = this.#parts
    const asked = personal.times() ?? OPTIONS.timestamps.usual
    const times = asked === 'off' ? undefined : timeColumn(asked, personal.zone, columns)
    this.#style = { columns, theme: personal.theme(), times }
    return this.#style
  }
}
