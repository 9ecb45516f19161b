import xterm from '@xterm/headless'
import type { Terminal } from '../../src/terminal/ports.ts'

/** A terminal emulator without a window: what a person would see after these bytes. */
export type Emulator = ReturnType<typeof createEmulator>

/** With `reflowCursorLine` it breaks the row of the cursor, too, where it is narrowed, as tmux does. */
export function createEmulator(
  columns = 80,
  rows = 24,
  options: { readonly reflowCursorLine?: boolean } = {},
) {
  const emulator = new xterm.Terminal({
    cols: columns,
    rows,
    allowProposedApi: true,
    scrollback: 10_000,
    ...options,
  })
  const lines = (from: number, to: number): string[] => {
    const buffer = emulator.buffer.active
    const all = Array.from(
      { length: to - from },
      (_, i) =>
        buffer
          .getLine(from + i)
          ?.translateToString()
          .trimEnd() ?? '',
    )
    while (all.at(-1) === '') all.pop()
    return all
  }
  return {
    write: (text: string) => new Promise<void>((resolve) => emulator.write(text, resolve)),
    resize: (columns: number, rows: number) => emulator.resize(columns, rows),
    /** Visible rows, ends trimmed, without the empty ones at the bottom. */
    screen: (): string[] => lines(emulator.buffer.active.baseY, emulator.buffer.active.baseY + emulator.rows),
    /** All rows as one text, those joined that the terminal broke when it was narrowed. */
    text(): string {
      const buffer = emulator.buffer.active
      const rows = Array.from({ length: buffer.length }, (_, i) => buffer.getLine(i))
      return rows.map((row) => `${row?.isWrapped ? '' : '\n'}${row?.translateToString(true) ?? ''}`).join('')
    },
    /** All rows, scrollback included. */
    all: (): string[] => lines(0, emulator.buffer.active.length),
    /** As `screen`, with what differs from plain text before each stretch of it, in braces: `{bold 137}bob:{} hi`. */
    styled: (): string[] => styledRows(emulator),
    cursor: (): { readonly row: number; readonly column: number } => ({
      row: emulator.buffer.active.cursorY,
      column: emulator.buffer.active.cursorX,
    }),
  }
}

function styledRows(emulator: xterm.Terminal): string[] {
  const { active } = emulator.buffer
  const rows = Array.from({ length: emulator.rows }, (_, row) => {
    const line = active.getLine(active.baseY + row)
    let text = ''
    let style = ''
    for (let column = 0; column < emulator.cols; column++) {
      const cell = line?.getCell(column)
      if (!cell || cell.getWidth() === 0) continue
      const now = styleOf(cell)
      if (now !== style) text += `{${now}}`
      style = now
      text += cell.getChars() || ' '
    }
    return (style === '' ? text : `${text}{}`).replace(/ +$/, '')
  })
  while (rows.at(-1) === '') rows.pop()
  return rows
}

const styleOf = (cell: xterm.IBufferCell): string =>
  [
    cell.isBold() ? 'bold' : '',
    cell.isUnderline() ? 'underlined' : '',
    cell.isInverse() ? 'reversed' : '',
    cell.isDim() ? 'dim' : '',
    cell.isFgDefault() ? '' : String(cell.getFgColor()),
    cell.isBgDefault() ? '' : `on ${cell.getBgColor()}`,
  ]
    .filter(Boolean)
    .join(' ')

/** How many cells the emulator gives to each text, by its own report of the cursor (ECMA-48 8.3.14, CPR). */
export async function drawnCells(texts: readonly string[]): Promise<readonly number[]> {
  const emulator = new xterm.Terminal({ cols: 200, rows: 1, allowProposedApi: true })
  const columns: number[] = []
  emulator.onData((report) => void columns.push(Number(/;(\d+)R$/.exec(report)?.[1])))
  const asked = texts.map((text) => `\r\u001b[K${text}\u001b[6n`).join('')
  await new Promise<void>((resolve) => emulator.write(asked, resolve))
  return columns.map((column) => column - 1)
}

/** A terminal in memory, for sessions without a network. */
export interface FakeTerminal extends Terminal {
  type(text: string | Uint8Array): void
  /** The person is gone. */
  hangUp(): void
  /** The connection breaks. */
  vanish(): void
  written(): string
  resize(columns: number, rows: number): void
  /** While full, `write` drops. Emptying it tells the session. */
  setFull(full: boolean): void
  /** Calls back after each write. Returns the function that ends it. */
  listen(listener: () => void): () => void
  /** Resolves once a write was dropped because the terminal is full. */
  refused(): Promise<void>
  exitStatus(): number | undefined
  /** Resolves once what was written since `from` contains the text. */
  waitFor(text: string, from?: number): Promise<string>
}

export function createFakeTerminal(
  options: {
    readonly size?: { readonly columns: number; readonly rows: number }
    readonly term?: string
    readonly env?: Readonly<Record<string, string>>
  } = {},
): FakeTerminal {
  const typed: Uint8Array[] = []
  const resizeListeners: (() => void)[] = []
  const drainListeners: (() => void)[] = []
  const watchers = new Set<() => void>()
  let wake = (): void => undefined
  let size = options.size
  let written = ''
  let gone = false
  const vanished = new AbortController()
  let full = false
  let tellRefused = (): void => undefined
  let exitStatus: number | undefined
  async function* input(): AsyncGenerator<Uint8Array, void, void> {
    for (;;) {
      const next = typed.shift()
      if (next) yield next
      else if (gone) return
      else await new Promise<void>((resolve) => (wake = resolve))
    }
  }
  return {
    input: input(),
    gone: vanished.signal,
    term: options.term ?? 'xterm-256color',
    env: options.env ?? {},
    size: () => size,
    onResize: (listener) => void resizeListeners.push(listener),
    onDrain: (listener) => void drainListeners.push(listener),
    whenRead: (listener) => queueMicrotask(() => vanished.signal.aborted || listener()),
    write(text) {
      if (full) {
        tellRefused()
        return false
      }
      written += text
      for (const look of watchers) look()
      return true
    },
    end(status) {
      exitStatus ??= status
      gone = true
      wake()
    },
    type(text) {
      typed.push(typeof text === 'string' ? new TextEncoder().encode(text) : text)
      wake()
    },
    hangUp() {
      gone = true
      wake()
    },
    vanish() {
      gone = true
      vanished.abort()
      wake()
    },
    written: () => written,
    resize(columns, rows) {
      size = { columns, rows }
      for (const listener of resizeListeners) listener()
    },
    setFull(now) {
      full = now
      if (!full) for (const listener of drainListeners) listener()
    },
    listen(listener) {
      watchers.add(listener)
      return () => watchers.delete(listener)
    },
    refused: () => new Promise((resolve) => (tellRefused = resolve)),
    exitStatus: () => exitStatus,
    waitFor: (text, from = 0) =>
      new Promise((resolve) => {
        const look = (): void => {
          if (!written.includes(text, from)) return
          watchers.delete(look)
          resolve(written)
        }
        watchers.add(look)
        look()
      }),
  }
}
