import type { Entry } from './entry.ts'
import { foldCase, UNSPACED } from './mentions.ts'
import type { Person } from './person.ts'

const MAX_WORDS = 20
/** Characters of all words, as they are stored. */
const MAX_CHARS = 400

/** Returns `postgres, invoice` for words between commas; undefined for none, or for more than are stored. */
export function readAlertWords(text: string): string | undefined {
  const words = [...new Set(text.split(/[,，、]/).map((word) => foldCase(word.replace(/\s+/g, ' ').trim())))]
  const used = words.filter((word) => /[\p{L}\p{N}]/u.test(word))
  const stored = used.join(', ')
  return used.length === 0 || used.length > MAX_WORDS || stored.length > MAX_CHARS ? undefined : stored
}

/** A letter, a digit or a mark of a script that puts spaces between words. */
const LETTER = `(?![${UNSPACED}])[\\p{L}\\p{N}\\p{M}_]`

/**
 * Returns a function that is true for lines that have one of a person's words (`readAlertWords`), as a whole word
 * and in any case. The person's own lines and lines of routines have none.
 */
export function createAlertTest(): (
  entry: Entry,
  person: Pick<Person, 'id' | 'name'>,
  words?: string,
) => boolean {
  let known = 'off'
  let pattern: RegExp | undefined
  return (entry, person, words = 'off') => {
    if (words === 'off' || !isSaidByPeople(entry) || isBy(entry, person)) return false
    if (words !== known) pattern = patternOf(words)
    known = words
    return pattern?.test(foldCase(entry.text)) === true
  }
}

function patternOf(words: string): RegExp {
  const escaped = words.split(', ').map((word) => word.replace(/[$()*+.?[\\\]^{|}/]/g, '\\$&'))
  return new RegExp(`(?<!${LETTER})(?:${escaped.join('|')})(?!${LETTER})`, 'u')
}

const isSaidByPeople = (entry: Entry): boolean =>
  entry.thread === undefined &&
  ((entry.kind === 'message' && entry.routine === undefined && entry.edits === undefined) ||
    (entry.kind === 'action' && entry.reacts === undefined) ||
    entry.kind === 'reply')

const isBy = (entry: Entry, { id, name }: Pick<Person, 'id' | 'name'>): boolean =>
  entry.by === undefined ? entry.author === name : entry.by === id
