import { billLine, entryLine, shownName } from '../../chat/entry-text.ts'
import type { Entry } from '../../chat/entry.ts'
import { personalLine } from '../../chat/talk/direct-messages.ts'
import { cleanText } from '../../lib/text/clean-text.ts'
import { duration } from '../../lib/duration.ts'
import { spokenOf, type Styled } from '../../lib/text/styled.ts'
import { timeColumn } from '../drawing/time-column.ts'
import { type Composed, FrameWriter, type Item } from './frames.ts'
import type { KeyName } from '../input/keys.ts'
import type { RunningWork, Terminal } from '../ports.ts'
import { createSpokenSearch, createSpokenWork } from './spoken.ts'
import type { SessionView, ViewParts } from './view.ts'
import { codePointAt } from '../../lib/text/characters.ts'

const BELL = '\u0007'
/** More than these are written in several pieces, so that one that does not fit takes fewer others with it. */
const MAX_ITEMS_A_WRITE = 16

/**
 * The view that only ever appends, without one escape byte: for pipes and scripts, and with a pty for
 * screen readers and dumb terminals. A pty has its typing echoed, and taken back with backspaces.
 */
export function createPlainView(
  terminal: Terminal,
  running: () => readonly RunningWork[],
  { personal, frames, fail }: ViewParts,
): SessionView {
  const hasPty = terminal.size() !== undefined
  const spoken = createSpokenWork()
  let draft = ''
  /** The draft that the cursor stands behind; empty at the beginning of a line. */
  let echoed = ''
  /** The line that was sent last, as long as it was not said. */
  let typed: string | undefined
  let isRepeated = false
  let isClosed = false
  let mustRing = false
  const search = createSpokenSearch()

  /** Only where the person asked for times: whoever listens to all of it has enough to listen to. */
  function timeOf({ at }: Pick<Entry, 'at'>): string {
    const asked = hasPty ? personal.times() : undefined
    if (asked === undefined || asked === 'off') return ''
    return timeColumn(asked, personal.zone, Infinity)?.textAt(at) ?? ''
  }

  /** What the person typed stands there already, and is heard once. */
  function isTyped(entry: Entry): boolean {
    const is = entry.kind === 'message' && entry.text === typed && personal.emphasis(entry) === 'own'
    if (is) typed = undefined
    return is
  }

  /** A pipe has nobody to hear it. */
  function ring(): void {
    if (!hasPty) return
    mustRing = true
    writer.request()
  }

  /** What was asked for is said, and in the end the draft stands there. */
  function say(text = ''): boolean {
    if (text !== '') writer.add({ type: 'print', text: `-- ${text}` })
    return text !== ''
  }

  function compose(items: readonly Item[]): Composed {
    const taken = items.slice(0, MAX_ITEMS_A_WRITE)
    const write = createWrite(echoed, timeOf)
    if (isRepeated) write.endLine()
    for (const item of taken) write.put(item)
    if (isClosed) write.endLine()
    else if (taken.length === items.length) write.type(draft)
    return {
      text: (mustRing ? BELL : '') + (hasPty ? write.text().replaceAll('\n', '\r\n') : write.text()),
      items: taken.length,
      written() {
        echoed = write.echoed()
        isRepeated = false
        mustRing = false
      },
    }
  }

  const writer = new FrameWriter(terminal, frames, { compose, gather: () => [], fail })
  return {
    entry(entry, { isPast } = {}) {
      if (!isPast && personal.bell.ringsFor(entry)) ring()
      if (!isTyped(entry)) writer.add({ type: 'entry', entry })
    },
    print: (text, role) =>
      writer.add({ type: 'print', text: hasPty && role === 'error' ? inWords(text) : text }),
    // With a pty the typing itself stands there, and a pipe knows what it sent.
    echo() {},
    message: (message, onRead) => writer.add({ type: 'message', message, onRead }),
    takes(key) {
      if (key.type !== 'press') return true
      if (key.name === 'search' && say(search.found())) return false
      return (search.isOpen() && TAKES_LINE.has(key.name)) || !NEEDS_CURSOR.has(key.name)
    },
    draft(next) {
      if (!hasPty) return
      if (next.prompt !== undefined) return void say(search.changed(next))
      search.end()
      draft = next.text
      writer.request()
    },
    sent({ text }) {
      if (!hasPty) return
      typed = text.trim()
      writer.add({ type: 'sent', text })
    },
    refresh() {
      for (const text of spoken.lines(running())) writer.add({ type: 'print', text })
    },
    redraw() {
      isRepeated = true
      writer.request()
    },
    bell() {
      if (personal.bell.mayRing()) ring()
    },
    close(farewell = '') {
      if (isClosed) return
      isClosed = true
      if (farewell !== '') writer.add({ type: 'print', text: farewell })
      writer.close()
    },
  }
}

/** Puts together one write, to a screen on which the draft `echoed` stands before the cursor. */
function createWrite(begun: string, timeOf: (line: Pick<Entry, 'at'>) => string) {
  let echoed = begun
  let text = ''

  function type(draft: string): void {
    text += echoChange(echoed, draft)
    echoed = draft
  }

  function endLine(): void {
    if (echoed !== '') text += '\n'
    echoed = ''
  }

  function put(item: Item): void {
    if (item.type === 'sent') type(item.text)
    endLine()
    if (item.type === 'entry') text += `${timeOf(item.entry)}${safeLine(item.entry)}\n`
    if (item.type === 'message') text += `${timeOf(item.message)}${cleanText(personalLine(item.message))}\n`
    if (item.type === 'print') text += `${cleanText(spokenOf(item.text))}\n`
  }

  return { type, endLine, put, text: () => text, echoed: () => echoed }
}

/** Keys that do something elsewhere than at the end of the draft. */
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

/** They end a search, and leave the cursor behind what was found. */
const TAKES_LINE: ReadonlySet<KeyName> = new Set(['right', 'end'])

/** An exclamation mark is not read aloud. */
function inWords(text: string | Styled): string | Styled {
  return typeof text === 'string' ? text.replace(/^! /, 'error: ') : text
}

/** `entryLine`, with every later line indented even if cleaning made it. */
function safeLine(entry: Entry): string {
  const line = cleanText(entryLine(entry))
  const [first, ...later] = (entry.kind === 'presence' ? withoutDots(line, '; ') : line).split('\n')
  return [
    first,
    ...later.map((line) => (line.startsWith('  ') ? line : `  ${line}`)),
    ...endLines(entry),
  ].join('\n')
}

/** What stands between two things for the eye is spelled out to who listens. */
const withoutDots = (text: string, between = ', '): string => text.replaceAll(' · ', between)

/** That a model is done, and what it took: `-- qwen finished, 3.2s, 1234 tokens in, 56 out`. */
function endLines(entry: Entry): readonly string[] {
  const bill = withoutDots(billLine(entry))
  if (entry.kind !== 'reply' || entry.thread !== undefined) return bill === '' ? [] : [`-- ${bill}`]
  if (entry.outcome === undefined) return []
  const took = entry.durationMs === undefined ? '' : duration(entry.durationMs)
  return [`-- ${[`${shownName(entry.author)} finished`, bill || took].filter(Boolean).join(', ')}`]
}

/** Of a draft that is repeated no more than its end is written, in UTF-16 units. */
const MAX_REPEATED_UNITS = 1_000

/**
 * What to write after the draft `from` was echoed, so that `to` stands there; line ends are LF. Only ASCII is taken back,
 * a backspace for each character: the width of other text is not sure.
 */
export function echoChange(from: string, to: string): string {
  if (to.startsWith(from)) return cleanText(endOf(to.slice(from.length)))
  const taken = from.slice(to.length)
  const isShort = taken.length <= MAX_REPEATED_UNITS && /^[ -~]*$/.test(taken)
  if (isShort && from.startsWith(to)) return '\b \b'.repeat(taken.length)
  return `\n${cleanText(endOf(to))}`
}

const endOf = (text: string): string =>
  text.slice(codePointAt(text, Math.max(0, text.length - MAX_REPEATED_UNITS)))
