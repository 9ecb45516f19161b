import { fenceAfter } from '../base/markdown.ts'
import type { Entry } from './entry.ts'
import { MAX_MODEL_NAME, TO_ALL } from './names.ts'

/** Scripts that put no spaces between words, so a name may follow their letters. */
export const UNSPACED = ['Han', 'Hiragana', 'Katakana']
  .map((name) => `\\p{Script_Extensions=${name}}`)
  .join('')

/** `character` is a character class. `@qwen/core`, `a@qwen.dev` and the escaped `\@qwen` are no mentions. */
const mentionOf = (character: string, most: number): RegExp =>
  new RegExp(
    `(?<!(?![${UNSPACED}])[\\p{L}\\p{N}_.@/\\\\-])@(${character}{1,${most}})(?!${character}|[/@][\\p{L}\\p{N}_])`,
    'giu',
  )

const MENTION = mentionOf('[a-z0-9_.-]', MAX_MODEL_NAME)

/**
 * Returns the names of `callable` that a text mentions as `@name`, each once. `ask @qwen.` mentions `qwen` if
 * no model is called `qwen.`. Code, quoted lines and addresses mention nobody.
 */
export function mentions(text: string, callable: Iterable<string>): string[] {
  const names = new Set(callable)
  const found = [...withoutQuotes(text).matchAll(MENTION)].map(([, word = '']) =>
    longestName(word.toLowerCase(), names),
  )
  return [...new Set(found.filter((name) => name !== undefined))]
}

function longestName(word: string, names: ReadonlySet<string>): string | undefined {
  if (names.has(word)) return word
  const shorter = word.replace(/[.-]$/, '')
  return shorter === word ? undefined : longestName(shorter, names)
}

/** The limit of 8 bounds the number of searches for a missing closing mark. */
const CODE_SPAN = /(?<![`\\])(`{1,8})(?!`)(?:(?!\n[ \t]*\n)[^])*?(?<!`)\1(?!`)/g
const QUOTE = /^ {0,3}>/
/** The rest of an address from its `://`, or from the end of a name such as `example.org/`. */
const ADDRESS = /(?::\/\/|\.[a-z]{2,20}(?::\d+)?\/)[!#-;=?-_a-~]*/gi

/** Overwrites code, quoted lines and addresses with spaces, so that positions stay the same. */
function withoutQuotes(text: string): string {
  if (!text.includes('@')) return ''
  let fence = ''
  const lines = text.split('\n').map((line) => {
    if (fence === '' && QUOTE.test(line)) return blank(line)
    const before = fence
    fence = fenceAfter(line, before)
    return before === '' && fence === '' ? line : blank(line)
  })
  return lines.join('\n').replace(CODE_SPAN, blank).replace(ADDRESS, blank)
}

const blank = (text: string): string => text.replace(/[^\n]/g, ' ')

const NAME_CHARACTER = '[\\p{L}\\p{N}\\p{M}_.-]'
/** Longer than a name, because a letter's marks may be characters of their own. */
const MAX_WORD = 40

const PERSON_MENTION = mentionOf(NAME_CHARACTER, MAX_WORD)

/** Returns a function that is true for names that the text mentions as `@name`, in any case. */
export function createMentionTest(text: string): (name: string) => boolean {
  const words = [...withoutQuotes(text).matchAll(PERSON_MENTION)].map(([, word = '']) => foldCase(word))
  const names = new Set(words.flatMap((word) => [word, word.replace(/[.-]+$/, '')]))
  return (name) => names.has(foldCase(name))
}

/** The words that a text mentions as `@word`, in order. `isFirst` is true if nothing is before the word. */
export const mentionedWords = (
  text: string,
): readonly { readonly word: string; readonly isFirst: boolean }[] =>
  [...withoutQuotes(text).matchAll(PERSON_MENTION)].map((found) => ({
    word: (found[1] ?? '').replace(/[.-]+$/, ''),
    isFirst: text.slice(0, found.index).trim() === '',
  }))

/** Returns the words that name an entry's addressees: `@bob` anywhere, `bob:` at the beginning. */
export function addressedWords(entry: Entry): readonly string[] {
  if (!isSaid(entry)) return []
  const [, first = ''] = FIRST_WORD.exec(entry.text) ?? []
  const words = [first, ...mentionedWords(entry.text).map(({ word }) => word)]
  return [...new Set(words.filter((word) => word !== ''))]
}

/** Returns equal texts for names that differ only in case or Unicode composition. */
export const foldCase = (name: string): string => name.normalize('NFC').toLowerCase()

export type Addressed = (entry: Entry, person: { readonly name: string }) => boolean

const FIRST_WORD = new RegExp(`^(${NAME_CHARACTER}{1,${MAX_WORD}})[:,](?:\\s|$)`, 'u')

export function createAddressed(): Addressed {
  const known = new WeakMap<Entry, (name: string) => boolean>()
  return (entry, person) => {
    if (!isSaid(entry)) return false
    const isNamed = known.get(entry) ?? read(entry)
    // Most lines name nobody; for these the receivers' names, which can change, are not read.
    return isNamed !== nobody && entry.author !== person.name && isNamed(person.name)
  }

  function read(entry: Entry): (name: string) => boolean {
    const isNamed = createNameTest(entry.text)
    known.set(entry, isNamed)
    return isNamed
  }
}

/** As `createAddressed`, for people in the entry's room, whom `@all` addresses, too. */
export function createAddressedHere(): Addressed {
  const addressed = createAddressed()
  return (entry, person) => (entry.toAll === true && entry.author !== person.name) || addressed(entry, person)
}

export const namesAll = (text: string): boolean => TO_ALL.some(createMentionTest(text))

const nobody = (): boolean => false

const isSaid = ({ kind, thread }: Entry): boolean =>
  thread === undefined && (kind === 'message' || kind === 'action' || kind === 'reply')

function createNameTest(text: string): (name: string) => boolean {
  const first = FIRST_WORD.exec(text)?.[1]
  if (first === undefined) return text.includes('@') ? createMentionTest(text) : nobody
  const isMentioned = createMentionTest(text)
  const folded = foldCase(first)
  return (name) => foldCase(name) === folded || isMentioned(name)
}
