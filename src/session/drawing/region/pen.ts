import type { Region } from './region.ts'
import { sameStart, sureCells } from './same-start.ts'
import { withoutWrap } from './without-wrap.ts'

/** Writes into a region, and knows where in it the cursor is; the column is unknown after text of unsure width. */
export interface Pen {
  moveTo(row: number, column: number): void
  /** Makes empty rows before row `at` of a region of that height, which moves up where there is no room below. */
  insertRows(at: number, count: number, height: number): void
  deleteRows(at: number, count: number): void
  changeRow(at: number, from: string, to: string): void
  /** All that it wrote. */
  written(): string
}

export function createPen(cursor: Region['cursor']): Pen {
  let { row } = cursor
  let column: number | undefined = cursor.column
  let out = ''

  function moveTo(toRow: number, toColumn: number): void {
    const along = column === toColumn ? '' : moveAlong(column, toColumn)
    out += (toRow > row ? moveDown(toRow - row, along) : csi(row - toRow, 'A')) + along
    row = toRow
    column = toColumn
  }

  function changeRow(at: number, from: string, to: string): void {
    if (from === to) return
    const { cells, units, look } = sameStart(from, to)
    moveTo(at, cells)
    const middle = middleOf(from, to, units)
    if (middle) {
      const more = middle.fresh - middle.old
      out += csi(Math.max(0, more), '@') + look + to.slice(units, units + middle.fresh)
      out += (look === '' ? '' : endOf(look)) + csi(Math.max(0, -more), 'P')
      column = cells + middle.fresh
      return
    }
    const rest = look + to.slice(units)
    const [before, after] = [sureCells(from), sureCells(to)]
    if (after === undefined) {
      out += ERASE_RIGHT + withoutWrap(rest)
      column = undefined
    } else {
      out += rest + (before !== undefined && before <= after ? '' : ERASE_RIGHT)
      column = after
    }
  }

  return {
    moveTo,
    insertRows(at, count, height) {
      const last = height - 1
      out += `${'\n'.repeat(last - row + count)}${csi(last + count - at, 'A')}${csi(count, 'L')}\r`
      row = at
      column = 0
    },
    deleteRows(at, count) {
      moveTo(at, 0)
      out += csi(count, 'M')
    },
    changeRow,
    written: () => out,
  }
}

const csi = (count: number, final: string): string =>
  count === 0 ? '' : `\u001b[${count === 1 ? '' : count}${final}`

/** A line feed is shorter, and on some terminals returns: it is taken where that makes no difference. */
const moveDown = (rows: number, along: string): string =>
  rows <= MAX_LINE_FEEDS && along.startsWith('\r') ? '\n'.repeat(rows) : csi(rows, 'B')

const MAX_LINE_FEEDS = 3

/** A few backspaces are shorter than a sequence. */
const MAX_BACKSPACES = 3

function moveAlong(from: number | undefined, to: number): string {
  if (to === 0) return '\r'
  if (from === undefined) return `\r${csi(to, 'C')}`
  if (to > from) return csi(to - from, 'C')
  return from - to <= MAX_BACKSPACES ? '\b'.repeat(from - to) : `\r${csi(to, 'C')}`
}

const ERASE_RIGHT = '\u001b[K'

const endOf = (look: string): string =>
  (look.includes('\u001b[') ? '\u001b[0m' : '') + (look.includes('\u001b]') ? '\u001b]8;;\u001b\\' : '')

/** The rest of a row is left where it is, or moved, if it has more units than this. */
const MIN_REST = 12

/**
 * Where two rows differ in a few sure cells only, behind `units` that are the same, how many these are: what follows them
 * stands there already, and may be moved by characters that are inserted or deleted (ICH, DCH; ECMA-48 8.3.64, 8.3.26).
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
  return isSure && rest > MIN_REST ? { old: old.length, fresh: fresh.length } : undefined
}
