import type { TokenCounter } from '../ports.ts'

interface Codec {
  encode(text: string): readonly number[]
  decode(tokens: readonly number[]): Uint8Array
  count(text: string): number
}

/** First guess of characters per token: almost every text has fewer. */
const CHARS_PER_TOKEN = 8

/**
 * Cuts a text at a token boundary from either end. Lone surrogates become U+FFFD. The result never has more
 * than `tokens`: if the cut changes the encoding of the rest, drops another token.
 */
export function cutEnds(codec: Codec): Pick<TokenCounter, 'head' | 'tail'> {
  const cut = (given: string, tokens: number, side: TextEnd): string => {
    const text = given.toWellFormed()
    if (tokens <= 0 || text === '') return ''
    if (codec.count(text) <= tokens) return text
    const near = longEnoughPart(text, tokens, side, codec)
    const all = codec.encode(near)
    for (let keep = Math.min(tokens, all.length); keep > 0; keep -= 1) {
      const kept = side.join(codec.decode(side.take(all, keep)), near)
      if (codec.count(kept) <= tokens) return kept
    }
    return ''
  }
  return {
    head: (text, tokens) => cut(text, Math.floor(tokens), atHead),
    tail: (text, tokens) => cut(text, Math.floor(tokens), atTail),
  }
}

interface TextEnd {
  /** Returns about `chars` characters of that end, without half a character. */
  slice(text: string, chars: number): string
  take(tokens: readonly number[], count: number): readonly number[]
  /** Decodes bytes to that end's text, without a truncated character. */
  join(bytes: Uint8Array, text: string): string
}

const atHead: TextEnd = {
  slice: (text, chars) => text.slice(0, isLow(text, chars) ? chars + 1 : chars),
  take: (tokens, count) => tokens.slice(0, count),
  join: (bytes, text) => text.slice(0, commonLength(decode(bytes), text, 'start')),
}

const atTail: TextEnd = {
  slice: (text, chars) => {
    const start = text.length - chars
    return start <= 0 ? text : text.slice(isLow(text, start) ? start - 1 : start)
  },
  take: (tokens, count) => tokens.slice(tokens.length - count),
  join: (bytes, text) => text.slice(text.length - commonLength(decode(bytes), text, 'end')),
}

const decode = (bytes: Uint8Array): string => new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes)

const isLow = (text: string, at: number): boolean => (text.charCodeAt(at) & 0xfc00) === 0xdc00

/** Returns at least `tokens` tokens, or all, so that a long text is not encoded for a short end. */
function longEnoughPart(text: string, tokens: number, side: TextEnd, codec: Codec): string {
  for (let chars = tokens * CHARS_PER_TOKEN; chars < text.length; chars *= 2) {
    const part = side.slice(text, chars)
    if (codec.count(part) > tokens + 8) return part
  }
  return text
}

/** Returns the UTF-16 units that both texts share at `end`. A cut character is U+FFFD and ends the match. */
function commonLength(decoded: string, text: string, end: 'start' | 'end'): number {
  for (let length = 0; length < decoded.length; length += 1) {
    const agrees =
      end === 'start'
        ? decoded.charCodeAt(length) === text.charCodeAt(length)
        : decoded.charCodeAt(decoded.length - 1 - length) === text.charCodeAt(text.length - 1 - length)
    if (!agrees) return length
  }
  return decoded.length
}
