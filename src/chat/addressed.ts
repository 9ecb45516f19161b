import type { Entry } from './entry.ts'
import { foldCase, mentionsOfPeople } from './mentions.ts'

/** Whether an entry is said to somebody of that name: `@bob` anywhere, or `bob:` at the beginning. */
export type Addressed = (entry: Entry, name: string) => boolean

const FIRST_WORD = /^([\p{L}\p{N}\p{M}_.-]{1,40})[:,](?:\s|$)/u

/** Reads each entry once, however many people ask. */
export function createAddressed(): Addressed {
  const known = new WeakMap<Entry, (name: string) => boolean>()
  return (entry, name) => {
    if (!isSaid(entry)) return false
    return entry.author !== name && (known.get(entry) ?? read(entry))(name)
  }

  function read(entry: Entry): (name: string) => boolean {
    const isNamed = namedIn(entry.text)
    known.set(entry, isNamed)
    return isNamed
  }
}

const isSaid = ({ kind, thread }: Entry): boolean =>
  thread === undefined && (kind === 'message' || kind === 'action' || kind === 'reply')

function namedIn(text: string): (name: string) => boolean {
  const first = FIRST_WORD.exec(text)?.[1]
  if (first === undefined) return text.includes('@') ? mentionsOfPeople(text) : () => false
  const isMentioned = mentionsOfPeople(text)
  const folded = foldCase(first)
  return (name) => foldCase(name) === folded || isMentioned(name)
}
