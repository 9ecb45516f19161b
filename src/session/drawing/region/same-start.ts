/** How much of a row stands on the screen already. */
interface SameStart {
  /** Cells that both rows have in common, and the units of the new row's text that make them. */
  readonly cells: number
  readonly units: number
  /** The sequences that must be written again, so that what follows looks as it should. */
  readonly look: string
}

/** A colour, the beginning or end of a link, or a character that has one cell on every terminal. */
const PIECE = /\u001b\[[\d;]*m|\u001b\]8;;[!-~]*\u001b\\|[ -~]/y
const RESET = '\u001b[0m'
const END_OF_LINK = '\u001b]8;;\u001b\\'

/** What two rows have in common at their beginnings, as far as the cells are sure. */
export function sameStart(from: string, to: string): SameStart {
  if (from === '') return blanksOf(to)
  let now: SameStart = { cells: 0, units: 0, look: '' }
  /** Without the last character, to which a mark behind it may belong. */
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

/** An empty row has blanks already. */
function blanksOf(row: string): SameStart {
  const blanks = /^ */.exec(row)?.[0].length ?? 0
  return { cells: blanks, units: blanks, look: '' }
}

const isSure = (character: string): boolean => /^[\u001b -~]?$/.test(character)

/** The cells of a row; undefined where terminals may disagree about them. */
export function sureCells(row: string): number | undefined {
  const shown = row.includes('\u001b') ? row.replace(SEQUENCES, '') : row
  return /^[ -~]*$/.test(shown) ? shown.length : undefined
}

const SEQUENCES = /\u001b\[[\d;]*m|\u001b\]8;;[!-~]*\u001b\\/g
