import { entryLine } from '../chat/entry-text.ts'
import type { Entry } from '../chat/entry.ts'
import { cleanText } from '../lib/clean-text.ts'
import { plainOf } from '../lib/styled.ts'
import type { KeyName } from './keys.ts'
import type { Draft } from './line-editor.ts'
import type { Terminal } from './ports.ts'
import { countSkipped, type SessionView } from './session-view.ts'

/** True without a pty, which nothing can be drawn on, and for screen readers and dumb terminals. */
export function onlyAppends(terminal: Terminal): boolean {
  const { term, env } = terminal
  const asked = env['SSHAWL_PLAIN'] ?? ''
  return terminal.size() === undefined || term === 'dumb' || term === '' || (asked !== '' && asked !== '0')
}

/**
 * The view that only ever appends, without one escape byte: for pipes and scripts, and with a pty for
 * screen readers and dumb terminals. A pty has its typing echoed, and taken back with backspaces.
 */
export function createAppendView(terminal: Terminal): SessionView {
  const hasPty = terminal.size() !== undefined
  const eol = hasPty ? '\r\n' : '\n'
  let echoed = ''
  let closed = false

  const lines = (text: string): string => text.replaceAll('\n', eol)

  /** What is being typed is repeated after what came between. */
  function put(text: string): boolean {
    if (closed) return true
    const before = echoed === '' ? '' : eol
    return terminal.write(before + lines(text) + eol + lines(echoed))
  }

  function echo({ text }: Draft): void {
    if (!hasPty) return
    const next = cleanText(text)
    terminal.write(lines(change(echoed, next)))
    echoed = next
  }

  const count = countSkipped(terminal, (notice) => notice !== '' && put(notice))
  return {
    entry: (entry) => count(put(safeLine(entry))),
    print: (text) => count(put(cleanText(plainOf(text)))),
    stream() {},
    takes: (key) => key.type !== 'press' || !NEEDS_CURSOR.has(key.name),
    draft: echo,
    sent(draft) {
      echo(draft)
      if (hasPty) terminal.write(eol)
      echoed = ''
    },
    refresh() {},
    redraw: () => void (echoed !== '' && terminal.write(eol + lines(echoed))),
    bell() {},
    close(farewell = '') {
      if (closed) return
      if (echoed !== '') terminal.write(eol)
      echoed = ''
      if (farewell !== '') put(cleanText(farewell))
      closed = true
    },
  }
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
  return [first, ...later.map((line) => (line.startsWith('  ') ? line : `  ${line}`))].join('\n')
}

/** From one echoed draft to the next. Only ASCII is taken back, a backspace for each: the width of other text is not sure. */
function change(from: string, to: string): string {
  if (to.startsWith(from)) return to.slice(from.length)
  const taken = from.slice(to.length)
  if (from.startsWith(to) && /^[ -~]*$/.test(taken)) return '\b \b'.repeat(taken.length)
  return `\n${to}`
}
