import { withoutSequences, type DrawnText } from './drawn-text.ts'

export interface WindowSize {
  readonly columns: number
  readonly rows: number
}

/** The last rows of a terminal, the only rows that are redrawn. */
export interface Region {
  readonly rows: readonly string[]
  /** Rows from the top that may move into the scrollback. The status and the draft are below them. */
  readonly live: number
  readonly cursor: { readonly row: number; readonly column: number }
  readonly size: WindowSize
}

const MIN_COLUMNS = 8

/**
 * Does the same as `writeChange` if only some rows change; returns undefined if all rows must be redrawn.
 * Takes `texts` as the first rows of the region, so that rows already on the screen are not rewritten. Before
 * rows are inserted (IL, ECMA-48 8.3.67), line feeds at the end move rows into the scrollback.
 */
export function updateRegion(drawn: Region, texts: readonly DrawnText[], next: Region): string | undefined {
  const text = texts.flatMap((one) => one.text.split('\r\n'))
  const target = { ...next, rows: [...text, ...next.rows], live: text.length + next.live }
  if (!texts.every(({ isSure }) => isSure) || !canUpdate(drawn, target)) return undefined
  const pen = new Pen(drawn.cursor)
  const rows = moveRows(pen, drawn, target)
  for (const [row, to] of target.rows.entries()) pen.changeRow(row, rows[row] ?? '', to)
  pen.moveTo(text.length + next.cursor.row, next.cursor.column)
  return pen.written
}

function canUpdate(drawn: Region, target: Region): boolean {
  const { columns, rows } = target.size
  if (drawn.size.columns !== columns || drawn.size.rows !== rows || columns < MIN_COLUMNS) return false
  if (drawn.rows.length === 0 || Math.max(drawn.rows.length, target.rows.length) > rows) return false
  return drawn.rows.length - drawn.live === target.rows.length - target.live
}

/** Moves the live rows that are kept, and makes room for new rows. Returns the rows after that. */
function moveRows(pen: Pen, drawn: Region, next: Region): readonly string[] {
  const rows = [...drawn.rows]
  const [before, after] = [rows.slice(0, drawn.live), next.rows.slice(0, next.live)]
  const same = before.findIndex((row, index) => row !== after[index])
  const at = same === -1 ? Math.min(before.length, after.length) : same
  const gone = after[at] === undefined ? 0 : Math.max(0, before.slice(at).indexOf(after[at]))
  if (gone > 0) {
    pen.deleteRows(at, gone)
    rows.splice(at, gone)
  }
  const more = next.rows.length - rows.length
  const end = commonEndLength(before, after)
  const to = more > 0 ? Math.max(at, before.length - gone - end) : Math.max(at, after.length - end)
  if (more > 0) {
    pen.insertRows(to, more, rows.length)
    rows.splice(to, 0, ...Array<string>(more).fill(''))
  }
  if (more < 0) {
    pen.deleteRows(to, -more)
    rows.splice(to, -more)
  }
  return rows
}

function commonEndLength(before: readonly string[], after: readonly string[]): number {
  const most = Math.min(before.length, after.length)
  let count = 0
  while (count < most && before.at(-1 - count) === after.at(-1 - count)) count++
  return count
}

class Pen {
  written = ''
  #row: number
  /** Unknown after text of unsure width. */
  #column: number | undefined

  constructor({ row, column }: Region['cursor']) {
    this.#row = row
    this.#column = column
  }

  moveTo(row: number, column: number): void {
    const along = this.#column === column ? '' : moveInRow(this.#column, column)
    this.#write(csi(Math.abs(row - this.#row), row > this.#row ? 'B' : 'A') + along, row, column)
  }

  /** `height`: rows of the region, which moves up if there is no room below. */
  insertRows(at: number, count: number, height: number): void {
    const last = height - 1
    const room = '\n'.repeat(last - this.#row + count)
    this.#write(`${room}${csi(last + count - at, 'A')}${csi(count, 'L')}\r`, at, 0)
  }

  deleteRows(at: number, count: number): void {
    this.moveTo(at, 0)
    this.#write(csi(count, 'M'), at, 0)
  }

  changeRow(at: number, from: string, to: string): void {
    if (from === to) return
    const { cells, units, look } = sameStart(from, to)
    this.moveTo(at, cells)
    const middle = middleOf(from, to, units)
    if (middle) {
      const more = middle.fresh - middle.old
      const text = look + to.slice(units, units + middle.fresh) + (look === '' ? '' : endOf(look))
      const moved = csi(Math.max(0, more), '@') + text + csi(Math.max(0, -more), 'P')
      return this.#write(moved, at, cells + middle.fresh)
    }
    const rest = look + to.slice(units)
    const [before, after] = [knownCells(from), knownCells(to)]
    if (after === undefined) return this.#write(ERASE_RIGHT + disableAutowrap(rest), at, undefined)
    const isCovered = before !== undefined && before <= after
    this.#write(rest + (isCovered ? '' : ERASE_RIGHT), at, after)
  }

  #write(text: string, row: number, column: number | undefined): void {
    this.written += text
    this.#row = row
    this.#column = column
  }
}

const csi = (count: number, final: string): string =>
  count === 0 ? '' : `\u001b[${count === 1 ? '' : count}${final}`

const MAX_BACKSPACES = 3

function moveInRow(from: number | undefined, to: number): string {
  if (to === 0) return '\r'
  if (from === undefined) return `\r${csi(to, 'C')}`
  if (to > from) return csi(to - from, 'C')
  return from - to <= MAX_BACKSPACES ? '\b'.repeat(from - to) : `\r${csi(to, 'C')}`
}

const ERASE_RIGHT = '\u001b[K'

const endOf = (look: string): string =>
  (look.includes('\u001b[') ? RESET : '') + (look.includes('\u001b]') ? END_OF_LINK : '')

/** An unchanged end of a row is kept only if it has more UTF-16 units than this; else it is written again. */
const SHORT_END = 12

/**
 * Counts the changed cells of both rows before their equal end, which stays or is moved (ICH, DCH: ECMA-48
 * 8.3.64, 8.3.26). Undefined if the end must be written again.
 */
function middleOf(
  from: string,
  to: string,
  units: number,
): { readonly old: number; readonly fresh: number } | undefined {
  const most = Math.min(from.length, to.length) - units
  let rest = 0
  while (rest < most && from.charCodeAt(from.length - 1 - rest) === to.charCodeAt(to.length - 1 - rest))
    rest++
  const [old, fresh] = [from.slice(units, from.length - rest), to.slice(units, to.length - rest)]
  const isSure = /^[\u001b -~]$/.test(to.charAt(to.length - rest)) && /^[ -~]*$/.test(old + fresh)
  return isSure && rest > SHORT_END ? { old: old.length, fresh: fresh.length } : undefined
}

interface SameStart {
  /** Cells of the common beginning. */
  readonly cells: number
  /** UTF-16 units of the common beginning. */
  readonly units: number
  /** Sequences to write again, so that the text after them has its colours and its link. */
  readonly look: string
}

/** A colour, a link's beginning or end, or a character of one cell on every terminal. */
const PIECE = /\u001b\[[\d;]*m|\u001b\]8;;[!-~]*\u001b\\|[ -~]/y
const RESET = '\u001b[0m'
const END_OF_LINK = '\u001b]8;;\u001b\\'

function sameStart(from: string, to: string): SameStart {
  if (from === '') return blanksOf(to)
  let now: SameStart = { cells: 0, units: 0, look: '' }
  /** The beginning without its last character, which a combining mark may follow. */
  let before = now
  let [colours, link] = ['', '']
  for (;;) {
    PIECE.lastIndex = now.units
    const piece = PIECE.exec(to)?.[0]
    if (piece === undefined || !from.startsWith(piece, now.units))
      return isSure(from.charAt(now.units)) && isSure(to.charAt(now.units)) ? now : before
    const isCharacter = !piece.startsWith('\u001b')
    if (isCharacter) before = now
    if (piece === RESET) colours = ''
    else if (piece.startsWith('\u001b[')) colours += piece
    else if (!isCharacter) link = piece === END_OF_LINK ? '' : piece
    now = {
      cells: now.cells + (isCharacter ? 1 : 0),
      units: now.units + piece.length,
      look: link + colours,
    }
  }
}

function blanksOf(row: string): SameStart {
  const blanks = /^ */.exec(row)?.[0].length ?? 0
  return { cells: blanks, units: blanks, look: '' }
}

const isSure = (character: string): boolean => /^[\u001b -~]?$/.test(character)

/** Returns undefined if terminals may disagree. */
function knownCells(row: string): number | undefined {
  const shown = withoutSequences(row)
  return /^[ -~]*$/.test(shown) ? shown.length : undefined
}

const WRAP_OFF = '\u001b[?7l'
const WRAP_ON = '\u001b[?7h'

/** Keeps a row that is too wide on some terminal from becoming two rows. */
export const disableAutowrap = (rows: string): string => `${WRAP_OFF}${rows}${WRAP_ON}`
