import type { Entry } from '../words/entry.ts'
import { utf8Bytes } from '../base/amounts.ts'
import type { TokenCounter } from './ports.ts'

/** An entry's text. Each line after the first is indented. */
export type EntryText = ReturnType<typeof createEntryText>

export function createEntryText(text: string, counter: TokenCounter, at?: number) {
  let bytes: number | undefined
  let tokens: number | undefined
  let beginsAtMargin: boolean | undefined
  return {
    text,
    /** The entry's time in ms; undefined for a text that belongs to no entry. */
    at,
    /** False if trim.ts would not recognize the beginning of an entry here. */
    beginsAtMargin: (): boolean => (beginsAtMargin ??= /^\S/u.test(text)),
    bytes: (): number => (bytes ??= utf8Bytes(text)),
    /** Tokens of the text and a line break. */
    tokens: (): number => (tokens ??= counter.count(`${text}\n`)),
  }
}

/** Counts the tokens of `joinEntries`, as a sum over the entries if possible. */
export function countEntryTokens(
  heading: string,
  entries: readonly EntryText[],
  counter: TokenCounter,
): number {
  const last = entries.at(-1)
  if (!last || !entries.every(({ text }) => counter.startsAnew(text)))
    return counter.count(joinEntries(heading, entries))
  const before = heading === '' ? 0 : counter.count(`${heading}\n`)
  const all = entries.reduce((sum, entry) => sum + entry.tokens(), before)
  return all - last.tokens() + counter.count(last.text)
}

export const joinEntries = (heading: string, entries: readonly EntryText[]): string =>
  `${heading === '' ? '' : `${heading}\n`}${entries.map(({ text }) => text).join('\n')}`

export type EntryTexts = ReturnType<typeof createEntryTexts>

/** Writes and counts each text once, as long as its first entry's object lives. */
export function createEntryTexts(counter: TokenCounter) {
  const known = new WeakMap<Entry, { readonly group: readonly Entry[]; readonly made: EntryText }>()
  const plain = (text: string, at?: number): EntryText => createEntryText(text, counter, at)
  return {
    plain,
    /** Returns the text that `write` creates for entries that stay together. */
    of(group: readonly Entry[], write: (group: readonly Entry[]) => string): EntryText {
      const [first] = group
      if (!first) return plain(write(group))
      const found = known.get(first)
      if (found?.group.length === group.length && found.group.every((entry, at) => entry === group[at]))
        return found.made
      const made = plain(write(group), first.at)
      known.set(first, { group, made })
      return made
    },
  }
}
