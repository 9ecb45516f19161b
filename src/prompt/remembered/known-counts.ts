import type { TokenCounter } from '../ports.ts'

/** A counter that can be told what a text has, where that was worked out from its parts. */
export interface KnowingCounter extends TokenCounter {
  know(text: string, tokens: number): void
}

/** Characters from which on it is worth remembering what a text has. */
const MIN_KNOWN_CHARACTERS = 1000

/** For one prompt: a long text is counted once in it, or not at all. */
export function createKnownCounts(counter: TokenCounter): KnowingCounter {
  const known = new Map<string, number>()
  const know = (text: string, tokens: number): number => {
    if (text.length >= MIN_KNOWN_CHARACTERS) known.set(text, tokens)
    return tokens
  }
  return {
    count(text) {
      if (text.length < MIN_KNOWN_CHARACTERS) return counter.count(text)
      return known.get(text) ?? know(text, counter.count(text))
    },
    startsAnew: (text) => counter.startsAnew(text),
    head: (text, tokens) => counter.head(text, tokens),
    tail: (text, tokens) => counter.tail(text, tokens),
    know,
  }
}
