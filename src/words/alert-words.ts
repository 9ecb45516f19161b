import type { Entry } from './entry.ts'
import { foldCase, UNSPACED } from './mentions.ts'
import type { Person } from './person.ts'

const MAX_WORDS = 20
/** Characters of all words together, as stored. */
const MAX_CHARS = 400

/** Reads `postgres, invoice`. Returns undefined for no words, or for more than are stored. */
export function readAlertWords(text: string): string | undefined {
  const words = [...new Set(text.split(/[,，、]/).map((word) => foldCase(word.replace(/\s+/g, ' ').trim())))]
  const used = words.filter((word) => /[\p{L}\p{N}]/u.test(word))
  const stored = used.join(', ')
  return used.length === 0 || used.length > MAX_WORDS || stored.length > MAX_CHARS ? undefined : stored
}

/** A letter, digit or mark of a script that puts spaces between words. */
const LETTER = `(?![${UNSPACED}])[\\p{L}\\p{N}\\p{M}_]`

/** Tests lines for a person's alert words, whole, in any case. Skips the person's and routines' lines. */
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
