import type { Entry } from './entry.ts'
import { foldCase, mentionsOfPeople, NAME_WORD } from './mentions.ts'

/** Whether an entry is said to somebody: `@bob` anywhere, or `bob:` at the beginning. */
export type Addressed = (entry: Entry, person: { readonly name: string }) => boolean

const FIRST_WORD = new RegExp(`^(${NAME_WORD})[:,](?:\\s|$)`, 'u')

/** Reads each entry once, however many people ask. */
export function createAddressed(): Addressed {
  const known = new WeakMap<Entry, (name: string) => boolean>()
  return (entry, person) => {
    if (!isSaid(entry)) return false
    const isNamed = known.get(entry) ?? read(entry)
    // Most lines name nobody; then the name, which can change, need not be looked up for each who hears them.
    return isNamed !== nobody && entry.author !== person.name && isNamed(person.name)
  }

  function read(entry: Entry): (name: string) => boolean {
    const isNamed = namedIn(entry.text)
    known.set(entry, isNamed)
    return isNamed
  }
}

const nobody = (): boolean => false

const isSaid = ({ kind, thread }: Entry): boolean =>
  thread === undefined && (kind === 'message' || kind === 'action' || kind === 'reply')

function namedIn(text: string): (name: string) => boolean {
  const first = FIRST_WORD.exec(text)?.[1]
  if (first === undefined) return text.includes('@') ? mentionsOfPeople(text) : nobody
  const isMentioned = mentionsOfPeople(text)
  const folded = foldCase(first)
  return (name) => foldCase(name) === folded || isMentioned(name)
}
