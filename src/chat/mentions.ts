import type { Entry } from './entry.ts'
import { MAX_MODEL_NAME } from './people/names.ts'

const MENTION = new RegExp(`(?<![\\p{L}\\p{N}_.@-])@([a-z0-9_.-]{1,${MAX_MODEL_NAME}})`, 'giu')

/**
 * The names of `callable` that a text mentions as `@name`, each once. `ask @qwen.` mentions `qwen` if no
 * model is called `qwen.`.
 */
export function mentions(text: string, callable: Iterable<string>): string[] {
  const names = new Set(callable)
  const found = [...text.matchAll(MENTION)].map(([, word = '']) => longestName(word.toLowerCase(), names))
  return [...new Set(found.filter((name) => name !== undefined))]
}

function longestName(word: string, names: ReadonlySet<string>): string | undefined {
  if (names.has(word)) return word
  const shorter = word.replace(/[.-]$/, '')
  return shorter === word ? undefined : longestName(shorter, names)
}

/** May be longer than a name: a text may write the marks of a letter as characters of their own. */
const NAME_WORD = '[\\p{L}\\p{N}\\p{M}_.-]{1,40}'

const PERSON_MENTION = new RegExp(`(?<![\\p{L}\\p{N}_.@-])@(${NAME_WORD})`, 'gu')

/** Returns a function that is true for names that the text mentions as `@name`, in any case. */
export function mentionsOfPeople(text: string): (name: string) => boolean {
  const words = [...text.matchAll(PERSON_MENTION)].map(([, word = '']) => foldCase(word))
  const names = new Set(words.flatMap((word) => [word, word.replace(/[.-]+$/, '')]))
  return (name) => names.has(foldCase(name))
}

/** The words that a text mentions as `@word`, in order. `isFirst`: nothing is before it. */
export const mentionedWords = (
  text: string,
): readonly { readonly word: string; readonly isFirst: boolean }[] =>
  [...text.matchAll(PERSON_MENTION)].map((found) => ({
    word: (found[1] ?? '').replace(/[.-]+$/, ''),
    isFirst: text.slice(0, found.index).trim() === '',
  }))

/** Equal for names that people take for one. */
export const foldCase = (name: string): string => name.normalize('NFC').toLowerCase()

/** True for an entry that is said to a person: `@bob` anywhere, or `bob:` at the beginning. */
export type Addressed = (entry: Entry, person: { readonly name: string }) => boolean

const FIRST_WORD = new RegExp(`^(${NAME_WORD})[:,](?:\\s|$)`, 'u')

export function createAddressed(): Addressed {
  const known = new WeakMap<Entry, (name: string) => boolean>()
  return (entry, person) => {
    if (!isSaid(entry)) return false
    const isNamed = known.get(entry) ?? read(entry)
    // Most lines name nobody. Then the receivers' names, which can change, are not looked up.
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
