import { billLine, entryLine, shownName } from '../../words/entry-text.ts'
import type { Entry } from '../../words/entry.ts'
import { personalLine, type PersonalMessage } from '../../chat/talk/index.ts'
import { cleanText } from '../../base/text/clean-text.ts'
import { duration } from '../../base/amounts.ts'
import { spokenText, type StyledText } from '../../base/text/styled.ts'
import { timeColumn } from '../drawing/time-column.ts'
import { type ComposedFrame, FrameWriter, type Item } from './frames.ts'
import type { Draft } from '../input/edit-commands.ts'
import type { Key, KeyName } from '../input/keys.ts'
import type { Delivery, PrintRole, RunningWork, Terminal } from '../ports.ts'
import { SpokenSearch, SpokenWork } from './spoken.ts'
import { clipboardOf, type SessionView, type ViewParts } from './view.ts'
import { codePointAt } from '../../base/text/characters.ts'

const BELL = '\u0007'
/** A refused write loses at most this many items. */
const MAX_ITEMS_A_WRITE = 16

/**
 * Appends lines without escape sequences, for pipes, screen readers and dumb terminals. With a pty it echoes
 * the typing and erases it with backspaces.
 */
export class PlainView implements SessionView {
  readonly #running: () => readonly RunningWork[]
  readonly #personal: ViewParts['personal']
  readonly #hasPty: boolean
  readonly #writer: FrameWriter
  readonly #work = new SpokenWork()
  readonly #search = new SpokenSearch()
  #draft = ''
  #echoed = ''
  #typed: string | undefined
  #isRepeated = false
  #isClosed = false
  #mustRing = false
  #clipboard = ''

  constructor(terminal: Terminal, running: () => readonly RunningWork[], parts: ViewParts) {
    this.#running = running
    this.#personal = parts.personal
    this.#hasPty = terminal.size() !== undefined
    this.#writer = new FrameWriter(terminal, { ...parts, compose: (items) => this.#compose(items) })
  }

  entry(entry: Entry, { isPast }: Delivery = {}): void {
    if (!isPast && this.#personal.bell.ringsFor(entry)) this.#ring()
    if (!this.#isTyped(entry)) this.#writer.add({ type: 'entry', entry })
  }

  print(text: string | StyledText, role?: PrintRole): void {
    const isRead = this.#hasPty && role === 'error' && typeof text === 'string'
    // Screen readers do not read an exclamation mark aloud.
    this.#writer.add({ type: 'print', text: isRead ? text.replace(/^! /, 'error: ') : text })
  }

  message(message: PersonalMessage, onRead?: () => void): void {
    this.#writer.add({ type: 'message', message, onRead })
  }

  /** Shows nothing: with a pty the typing is already shown, and a pipe knows what it sent. */
  echo(): void {}

  takes(key: Key): boolean {
    if (key.type !== 'press') return true
    if (key.name === 'search' && this.#say(this.#search.found())) return false
    return (this.#search.isOpen && TAKES_LINE.has(key.name)) || !NEEDS_CURSOR.has(key.name)
  }

  draft(draft: Draft): void {
    if (!this.#hasPty) return
    if (draft.prompt !== undefined) return void this.#say(this.#search.change(draft))
    this.#search.end()
    this.#draft = draft.text
    this.#writer.request()
  }

  lineEntered(text: string): void {
    if (!this.#hasPty) return
    this.#typed = text.trim()
    this.#writer.add({ type: 'line', text })
  }

  refresh(): void {
    for (const text of this.#work.lines(this.#running())) this.#writer.add({ type: 'print', text })
  }

  clear(): void {
    this.#isRepeated = true
    this.#writer.request()
  }

  bell(): void {
    if (this.#personal.bell.mayRing()) this.#ring()
  }

  copy(text: string): boolean {
    if (!this.#hasPty) return false
    this.#clipboard = clipboardOf(text)
    this.#writer.request()
    return true
  }

  resized(): void {}

  drained(): void {
    this.#writer.drained()
  }

  settingsChanged(): void {}

  close(farewell = ''): void {
    if (this.#isClosed) return
    this.#isClosed = true
    if (farewell !== '') this.#writer.add({ type: 'print', text: farewell })
    this.#writer.close()
  }

  /** Returns '' unless the person asked for times, which take long to listen to. */
  #timeOf({ at }: Pick<Entry, 'at'>): string {
    const asked = this.#hasPty ? this.#personal.times() : undefined
    if (asked === undefined || asked === 'off') return ''
    return timeColumn(asked, this.#personal.zone, Infinity)?.textAt(at) ?? ''
  }

  /** True if the entry is the line that the person just typed, which is not repeated. */
  #isTyped(entry: Entry): boolean {
    const isTyped =
      entry.kind === 'message' && entry.text === this.#typed && this.#personal.emphasis(entry) === 'own'
    if (isTyped) this.#typed = undefined
    return isTyped
  }

  #ring(): void {
    if (!this.#hasPty) return
    this.#mustRing = true
    this.#writer.request()
  }

  #say(text = ''): boolean {
    if (text !== '') this.#writer.add({ type: 'print', text: `-- ${text}` })
    return text !== ''
  }

  #compose(items: readonly Item[]): ComposedFrame {
    const taken = items.slice(0, MAX_ITEMS_A_WRITE)
    let [text, echoed] = ['', this.#echoed]
    const echo = (draft: string): void => {
      text += echoChange(echoed, draft)
      echoed = draft
    }
    const endLine = (): void => {
      if (echoed !== '') text += '\n'
      echoed = ''
    }
    if (this.#isRepeated) endLine()
    for (const item of taken) {
      if (item.type === 'line') echo(item.text)
      endLine()
      text += this.#textOf(item)
    }
    if (this.#isClosed) endLine()
    else if (taken.length === items.length) echo(this.#draft)
    return {
      text:
        (this.#mustRing ? BELL : '') +
        this.#clipboard +
        (this.#hasPty ? text.replaceAll('\n', '\r\n') : text),
      items: taken.length,
      written: () => {
        this.#echoed = echoed
        this.#isRepeated = this.#mustRing = false
        this.#clipboard = ''
      },
    }
  }

  #textOf(item: Item): string {
    switch (item.type) {
      case 'entry':
        return `${this.#timeOf(item.entry)}${safeLine(item.entry)}\n`
      case 'message':
        return `${this.#timeOf(item.message)}${cleanText(personalLine(item.message))}\n`
      case 'print':
        return `${cleanText(spokenText(item.text))}\n`
      default:
        return ''
    }
  }
}

const NEEDS_CURSOR: ReadonlySet<KeyName> = new Set([
  'left',
  'right',
  'home',
  'end',
  'word-left',
  'word-right',
  'delete',
  'kill-right',
  'kill-word-right',
])

const TAKES_LINE: ReadonlySet<KeyName> = new Set(['right', 'end'])

/** Indents every later line, also lines that `cleanText` made. */
function safeLine(entry: Entry): string {
  const line = cleanText(entryLine(entry))
  const [first, ...later] = (entry.kind === 'presence' ? withoutDots(line, '; ') : line).split('\n')
  return [
    first,
    ...later.map((line) => (line.startsWith('  ') ? line : `  ${line}`)),
    ...endLines(entry),
  ].join('\n')
}

const withoutDots = (text: string, between = ', '): string => text.replaceAll(' · ', between)

/** `-- qwen finished, 3.2s, 1234 tokens in, 56 out` */
function endLines(entry: Entry): readonly string[] {
  const bill = withoutDots(billLine(entry))
  if (entry.kind !== 'reply' || entry.thread !== undefined) return bill === '' ? [] : [`-- ${bill}`]
  if (entry.outcome === undefined) return []
  const took = entry.durationMs === undefined ? '' : duration(entry.durationMs)
  return [`-- ${[`${shownName(entry.author)} finished`, bill || took].filter(Boolean).join(', ')}`]
}

const MAX_REPEATED_UNITS = 1_000

/** Returns what to write after `from` to show `to`. Erases only ASCII, since other widths are not sure. */
export function echoChange(from: string, to: string): string {
  if (to.startsWith(from)) return cleanText(endOf(to.slice(from.length)))
  const taken = from.slice(to.length)
  const isShort = taken.length <= MAX_REPEATED_UNITS && /^[ -~]*$/.test(taken)
  if (isShort && from.startsWith(to)) return '\b \b'.repeat(taken.length)
  return `\n${cleanText(endOf(to))}`
}

const endOf = (text: string): string =>
  text.slice(codePointAt(text, Math.max(0, text.length - MAX_REPEATED_UNITS)))
