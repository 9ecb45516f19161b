// Counts tokens exactly with tiktoken's tables. Must not know prompts, models or Lua.
import { get_encoding, type Tiktoken, type TiktokenEncoding } from 'tiktoken'
import { closest } from '../../base/suggest.ts'
import { type TokenCounter, WrapError } from '../ports.ts'
import { ENCODINGS, tablesOf } from './encodings.ts'
import { cutEnds } from './ends.ts'
import { beginsLine, cutLines, cutLongRuns, LINES_ADD_UP } from './pieces.ts'

/** Creates counters. Tables are loaded at first use (0.1 to 0.5 s of CPU time). */
export interface TokenCounters {
  /** Throws `WrapError('argument')` for an unknown encoding. */
  of(encoding: string): TokenCounter
  /** Frees the tables. */
  close(): void
}

/** Creates counters that cache the counts of at most `memoChars` characters per table. */
export function createTokenCounters(memoChars = 8_000_000): TokenCounters {
  const loaded = new Map<TiktokenEncoding, { readonly counter: TokenCounter; readonly tables: Tiktoken }>()
  return {
    of(encoding) {
      const name = nameOfTables(encoding)
      const known = loaded.get(name)
      if (known) return known.counter
      const tables = get_encoding(name)
      const counter = counterFor(tables, LINES_ADD_UP.has(name), memoChars)
      loaded.set(name, { counter, tables })
      return counter
    },
    close() {
      for (const { tables } of loaded.values()) tables.free()
      loaded.clear()
    },
  }
}

function nameOfTables(encoding: string): TiktokenEncoding {
  const name = tablesOf(encoding)
  if (name) return name
  const near = closest(encoding, ENCODINGS)
  const hint = near === undefined ? `there are ${ENCODINGS.join(', ')}` : `did you mean ${near}?`
  throw new WrapError('argument', `there is no token encoding called ${JSON.stringify(encoding)}; ${hint}`)
}

function counterFor(tables: Tiktoken, byLine: boolean, memoChars: number): TokenCounter {
  const encode = (text: string): number[] =>
    cutLongRuns(text).flatMap((piece) => Array.from(tables.encode_ordinary(piece)))
  const remembered = createMemo(memoChars, (text) => encodedLength(tables, text))
  const ofLines = (text: string): number => cutLines(text).reduce((sum, line) => sum + remembered(line), 0)
  const count = byLine ? memoizeLong(ofLines) : remembered
  const decode = (tokens: readonly number[]): Uint8Array => tables.decode(Uint32Array.from(tokens))
  const startsAnew = (text: string): boolean => byLine && text !== '' && beginsLine(text, 0)
  return { count, startsAnew, ...cutEnds({ encode, decode, count }) }
}

/** `encode_ordinary` treats `<|endoftext|>` and the like as text, on which `encode` throws. */
const encodedLength = (tables: Tiktoken, text: string): number =>
  cutLongRuns(text).reduce((sum, piece) => sum + tables.encode_ordinary(piece).length, 0)

/** Longer texts are also cached as a whole, because a budget counts the same long text several times. */
const MIN_LONG_CHARS = 2000
/** The characters of long texts in the cache, in addition to their lines. */
const MAX_LONG_CHARS = 1_000_000

/** Caches counts of long texts, so that they are not split into lines again for each prompt. */
function memoizeLong(work: (text: string) => number): (text: string) => number {
  const long = createMemo(MAX_LONG_CHARS, work)
  return (text) => (text.length < MIN_LONG_CHARS ? work(text) : long(text))
}

/**
 * Caches results for about `maxChars` of text, in two generations: when the young one is full it replaces the
 * old one, and texts unused since then are dropped. So a hit costs one lookup, and no order is kept.
 */
export function createMemo(maxChars: number, compute: (text: string) => number): (text: string) => number {
  const half = maxChars / 2
  let young = new Map<string, number>()
  let old: typeof young = new Map()
  let chars = 0

  function remember(text: string, value: number): void {
    if (text.length > half) return
    if (chars + text.length > half) {
      old = young
      young = new Map()
      chars = 0
    }
    young.set(text, value)
    chars += text.length
  }

  return (text) => {
    const known = young.get(text)
    if (known !== undefined) return known
    const value = old.get(text) ?? compute(text)
    remember(text, value)
    return value
  }
}
