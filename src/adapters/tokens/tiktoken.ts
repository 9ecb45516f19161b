/**
 * Counts tokens, exactly, with the tables of tiktoken. Knows texts and encodings: nothing of prompts, models or Lua.
 */
import { get_encoding, type Tiktoken, type TiktokenEncoding } from 'tiktoken'
import { closest } from '../../lib/suggest.ts'
import { type TokenCounter, WrapError } from '../../prompt/ports.ts'
import { ENCODINGS, tablesOf } from './encodings.ts'
import { cutEnds } from './ends.ts'
import { beginsLine, cutLines, cutLongRuns, LINES_ADD_UP } from './pieces.ts'

/** What gives counters. Tables are loaded once, at first use (a tenth of a second to half a second of processor time). */
export interface TokenCounters {
  /** Throws `WrapError('argument')` for an encoding that nobody knows. */
  of(encoding: string): TokenCounter
  /** Frees the tables. */
  close(): void
}

/** Counters by tiktoken, which remember what they counted in at most `memoChars` characters of text for each of the tables. */
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
  const count = byLine ? ofLong(ofLines) : remembered
  const decode = (tokens: readonly number[]): Uint8Array => tables.decode(Uint32Array.from(tokens))
  const startsAnew = (text: string): boolean => byLine && text !== '' && beginsLine(text, 0)
  return { count, startsAnew, ...cutEnds({ encode, decode, count }) }
}

/** `encode_ordinary` takes `<|endoftext|>` and its like as the text they are; the plain call throws on them. */
const encodedLength = (tables: Tiktoken, text: string): number =>
  cutLongRuns(text).reduce((sum, piece) => sum + tables.encode_ordinary(piece).length, 0)

/** Characters from which on a text is remembered as a whole: a budget asks for the same long text several times. */
const MIN_LONG_CHARS = 2000
/** Characters of long texts that are remembered, beside their lines. */
const MAX_LONG_CHARS = 1_000_000

/** Remembers long texts as well: what is the same from prompt to prompt is not cut into lines again. */
function ofLong(work: (text: string) => number): (text: string) => number {
  const long = createMemo(MAX_LONG_CHARS, work)
  return (text) => (text.length < MIN_LONG_CHARS ? work(text) : long(text))
}

/**
 * Remembers what `compute` gave for a text, up to about `maxChars` characters of text in all. Texts live in
 * two generations: when the young one is full it becomes the old one, and what nobody asked for since the
 * last time is forgotten. So a known answer costs one lookup, and no order has to be kept.
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
