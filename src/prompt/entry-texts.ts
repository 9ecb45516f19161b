import type { Entry } from '../chat/entry.ts'
import { utf8Bytes } from '../lib/amounts.ts'
import type { TokenCounter } from './ports.ts'

/** The text of an entry, whose later lines are indented. What is known of it is worked out once. */
export interface EntryText {
  readonly text: string
  bytes(): number
  /** False for one that trim.ts would not take for the beginning of an entry. */
  beginsAtMargin(): boolean
  /** Tokens of the text and a line break. */
  tokens(): number
}

export function createEntryText(text: string, counter: TokenCounter): EntryText {
  let bytes: number | undefined
  let tokens: number | undefined
  let beginsAtMargin: boolean | undefined
  return {
    text,
    beginsAtMargin: () => (beginsAtMargin ??= /^\S/u.test(text)),
    bytes: () => (bytes ??= utf8Bytes(text)),
    tokens: () => (tokens ??= counter.count(`${text}\n`)),
  }
}

/** Tokens of a heading and entries as `joinEntries` writes them, from what each of them has. */
export function countEntries(heading: string, entries: readonly EntryText[], counter: TokenCounter): number {
  const last = entries.at(-1)
  if (!last || !entries.every(({ text }) => counter.startsAnew(text)))
    return counter.count(joinEntries(heading, entries))
  const before = heading === '' ? 0 : counter.count(`${heading}\n`)
  const all = entries.reduce((sum, entry) => sum + entry.tokens(), before)
  return all - last.tokens() + counter.count(last.text)
}

/** A heading, which may be empty, and the entries under it. */
export const joinEntries = (heading: string, entries: readonly EntryText[]): string =>
  `${heading === '' ? '' : `${heading}\n`}${entries.map(({ text }) => text).join('\n')}`

/** The texts of entries that stay together, as `write` makes them; `plain` is for a text of no entry. */
export interface EntryTexts {
  of(group: readonly Entry[], write: (group: readonly Entry[]) => string): EntryText
  plain(text: string): EntryText
}

/** Each text is made once, and counted once by this counter, for as long as its first entry's object lives. */
export function createEntryTexts(counter: TokenCounter): EntryTexts {
  const known = new WeakMap<Entry, { readonly group: readonly Entry[]; readonly made: EntryText }>()
  const plain = (text: string): EntryText => createEntryText(text, counter)
  return {
    plain,
    of(group, write) {
      const [first] = group
      if (!first) return plain(write(group))
      const found = known.get(first)
      if (found?.group.length === group.length && found.group.every((entry, at) => entry === group[at]))
        return found.made
      const made = plain(write(group))
      known.set(first, { group, made })
      return made
    },
  }
}
