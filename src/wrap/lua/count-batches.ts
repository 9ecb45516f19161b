import { codePointAt } from '../../base/text/characters.ts'

/** A part of a text to be counted, and the text's index. */
export interface CountedPiece {
  readonly of: number
  readonly text: string
}

/**
 * UTF-16 units per request. The slowest texts (random Chinese, endless words) were measured at about 2 µs a
 * unit, so a request takes at most 0.13 s of a process's 1 s (`cpuMs`).
 */
const MAX_BATCH_UNITS = 64_000

/** Units at a piece's end in which a cut is searched. */
const CUT_SEARCH_UNITS = 8_000

/** Yields batches that are short enough for one request. Cuts a long text into pieces. */
export function* countBatches(texts: readonly string[]): Generator<readonly CountedPiece[]> {
  let batch: CountedPiece[] = []
  let units = 0
  for (const [of, text] of texts.entries()) {
    for (const piece of piecesOf(text)) {
      if (batch.length > 0 && units + piece.length > MAX_BATCH_UNITS) {
        yield batch
        batch = []
        units = 0
      }
      batch.push({ of, text: piece })
      units += piece.length
    }
  }
  if (batch.length > 0) yield batch
}

function* piecesOf(text: string): Generator<string> {
  let start = 0
  while (text.length - start > MAX_BATCH_UNITS) {
    const end = cutBefore(text, start + MAX_BATCH_UNITS)
    yield text.slice(start, end)
    start = end
  }
  yield text.slice(start)
}

const WORD_END = /^[a-z] [a-z]$/

/**
 * Returns an index at which counts add up: no encoding's pattern reads from a letter over a space into the
 * next word (tiktoken's openai_public.py). A text without words may count a token more at each cut.
 */
function cutBefore(text: string, limit: number): number {
  for (let at = limit; at > limit - CUT_SEARCH_UNITS; at -= 1) {
    if (WORD_END.test(text.slice(at - 1, at + 2))) return at
  }
  return codePointAt(text, limit)
}
