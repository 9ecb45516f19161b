import { billLine, entryLine } from '../chat/entry-text.ts'
import type { Entry } from '../chat/entry.ts'
import { cleanText } from '../lib/text/clean-text.ts'
import { plainOf } from '../lib/text/styled.ts'
import { echoChange } from './drawing/echo.ts'
import { createFrameWriter, type Composed, type Item } from './frame-writer.ts'
import type { KeyName } from './keys.ts'
import type { Terminal } from './ports.ts'
import type { SessionView, ViewParts } from './session-view.ts'

/** True without a pty, which nothing can be drawn on, and for screen readers and dumb terminals. */
export function onlyAppends(terminal: Terminal): boolean {
  const { term, env } = terminal
  const asked = env['SSHAWL_PLAIN'] ?? ''
  return terminal.size() === undefined || term === 'dumb' || term === '' || (asked !== '' && asked !== '0')
}

/** More than these are written in several pieces, so that one that does not fit takes fewer others with it. */
const MAX_ITEMS_A_WRITE = 16

/**
 * The view that only ever appends, without one escape byte: for pipes and scripts, and with a pty for
 * screen readers and dumb terminals. A pty has its typing echoed, and taken back with backspaces.
 */
export function createAppendView(terminal: Terminal, { frames, fail }: ViewParts): SessionView {
  const hasPty = terminal.size() !== undefined
  let draft = ''
  /** The draft that the cursor stands behind; empty at the beginning of a line. */
  let echoed = ''
  let isRepeated = false
  let isClosed = false

  function compose(items: readonly Item[]): Composed {
    const taken = items.slice(0, MAX_ITEMS_A_WRITE)
    const page = createPage(echoed)
    if (isRepeated) page.endLine()
    for (const item of taken) page.put(item)
    if (isClosed) page.endLine()
    else if (taken.length === items.length) page.type(draft)
    return {
      text: hasPty ? page.text().replaceAll('\n', '\r\n') : page.text(),
      items: taken.length,
      written() {
        echoed = page.echoed()
        isRepeated = false
      },
    }
  }

  const writer = createFrameWriter(terminal, frames, compose, fail)
  return {
    entry: (entry) => writer.add({ type: 'entry', entry }),
    print: (text) => writer.add({ type: 'print', text }),
    takes: (key) => key.type !== 'press' || !NEEDS_CURSOR.has(key.name),
    draft({ text }) {
      if (!hasPty) return
      draft = text
      writer.request()
    },
    sent({ text }) {
      if (hasPty) writer.add({ type: 'sent', text })
    },
    refresh() {},
    redraw() {
      isRepeated = true
      writer.request()
    },
    bell() {},
    close(farewell = '') {
      if (isClosed) return
      isClosed = true
      if (farewell !== '') writer.add({ type: 'print', text: farewell })
      writer.close()
    },
  }
}

/** Puts together one write, to a screen on which the draft `echoed` stands before the cursor. */
function createPage(begun: string) {
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
    if (item.type === 'entry') text += `${safeLine(item.entry)}\n`
    if (item.type === 'print') text += `${cleanText(plainOf(item.text))}\n`
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

/** `entryLine`, with every later line indented even if cleaning made it. */
function safeLine(entry: Entry): string {
  const [first, ...later] = cleanText(entryLine(entry)).split('\n')
  const bill = billLine(entry)
  return [
    first,
    ...later.map((line) => (line.startsWith('  ') ? line : `  ${line}`)),
    ...(bill === '' ? [] : [`-- ${bill}`]),
  ].join('\n')
}
