import { codePointAt } from '../../lib/text/characters.ts'

/** A paragraph that is longer is drawn in pieces, so that its beginning can be read while the rest is written. */
export const MAX_PIECE_UNITS = 800

/** A paragraph in pieces, of which so many are finished even if it goes on. */
export function paragraphPieces(text: string): {
  readonly pieces: readonly string[]
  readonly finished: number
} {
  const pieces: string[] = []
  const lastLine = text.lastIndexOf('\n') + 1
  let finished = 0
  let from = 0
  while (text.length - from > MAX_PIECE_UNITS) {
    const end = pieceEnd(text, from)
    pieces.push(text.slice(from, end))
    from = /\s/.test(text.charAt(end)) ? end + 1 : end
    // The last line may turn out to be the head of a table.
    if (from <= lastLine || !text.includes('|', lastLine)) finished = pieces.length
  }
  return { pieces: [...pieces, text.slice(from)], finished }
}

/** Where a piece ends: at a line's end or a blank outside of marks, as late as may be; else at any blank. */
function pieceEnd(text: string, from: number): number {
  const piece = text.slice(from, from + MAX_PIECE_UNITS)
  const blanks = Array.from(piece.matchAll(/\s/g), ({ index }) => index).filter(
    (at) => at > MAX_PIECE_UNITS / 4,
  )
  const lines = blanks.filter((at) => piece.charAt(at) === '\n')
  const last = [...lines.toReversed().slice(0, TRIES), ...blanks.toReversed().slice(0, TRIES)]
  const best = last.find((at) => isOutsideOfMarks(piece.slice(0, at))) ?? lines.at(-1) ?? blanks.at(-1)
  return best === undefined ? codePointAt(text, from + MAX_PIECE_UNITS) : from + best
}

const TRIES = 12

const isOutsideOfMarks = (text: string): boolean =>
  count(text, /`+/g) % 2 === 0 &&
  count(text, /\*\*|__/g) % 2 === 0 &&
  count(text, /~~/g) % 2 === 0 &&
  count(text, /\[/g) === count(text, /\]/g)

const count = (text: string, pattern: RegExp): number => text.match(pattern)?.length ?? 0
