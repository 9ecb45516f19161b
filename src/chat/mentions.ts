import { MAX_MODEL_NAME } from './people/names.ts'

/** Not what stands in an address such as `bob@example.org`. */
const MENTION = new RegExp(`(?<![\\p{L}\\p{N}_.@-])@([a-z0-9_.-]{1,${MAX_MODEL_NAME}})`, 'giu')

/**
 * The names of `callable` that a text mentions as `@name`, each once, in the order of the text.
 * A sentence's full stop is not part of the name: `ask @qwen.` mentions `qwen` where no model is called `qwen.`.
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

/**
 * A word that may be somebody's name. It may be longer than names are (`MAX_PERSON_NAME`): a text may write the marks of a letter
 * as characters of their own.
 */
export const NAME_WORD = '[\\p{L}\\p{N}\\p{M}_.-]{1,40}'

const PERSON_MENTION = new RegExp(`(?<![\\p{L}\\p{N}_.@-])@(${NAME_WORD})`, 'gu')

/**
 * Tells of a person's name whether a text mentions it as `@name`, in any case of letters; a full stop after it is not part
 * of the name.
 */
export function mentionsOfPeople(text: string): (name: string) => boolean {
  const words = [...text.matchAll(PERSON_MENTION)].map(([, word = '']) => foldCase(word))
  const names = new Set(words.flatMap((word) => [word, word.replace(/[.-]+$/, '')]))
  return (name) => names.has(foldCase(name))
}

/** The words that stand in a text like the name of somebody, in order; `isFirst`: before it there is nothing. */
export const mentionedWords = (
  text: string,
): readonly { readonly word: string; readonly isFirst: boolean }[] =>
  [...text.matchAll(PERSON_MENTION)].map((found) => ({
    word: (found[1] ?? '').replace(/[.-]+$/, ''),
    isFirst: text.slice(0, found.index).trim() === '',
  }))

/** Names that are one name to people who type them. */
export const foldCase = (name: string): string => name.normalize('NFC').toLowerCase()
