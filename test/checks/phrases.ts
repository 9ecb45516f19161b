/**
 * Phrases that need a second reading, in comments, names, titles, messages and docs: their count may only fall. And
 * the subjects of commits. docs/contributing.md lists both.
 */
import type { Sources } from './size.ts'

/** "holds" for "is" is left to readers: a lock is held, too. */
const PHRASES = [
  'where (?:it|one|they|there|that|an?|no|nothing|nobody|somebody)',
  'so (?:many|long)',
  'is made from',
  'whoever',
  'whom',
  'those (?:that|who)',
  'the ones?',
  'of now',
  'in place of',
  'stands?',
]

/** Between two words: blanks, or the end of a line of a comment and the start of the next. */
const GAP = String.raw`\s+(?:(?:\*|//|--)\s+)?`
const BANNED = new RegExp(String.raw`\b(?:${PHRASES.join('|').replaceAll(' ', GAP)})\b`, 'gi')

/** Each banned phrase as `file:line: phrase`, file by file. Code in Markdown is not looked at. */
export const bannedPhrases = (sources: Sources): readonly string[] =>
  [...sources].flatMap(([path, text]) => {
    const prose = path.endsWith('.md') ? text.replaceAll(/`[^`\n]*`/g, '') : text
    return [...prose.matchAll(BANNED)].map(({ 0: phrase, index }) => {
      const line = prose.slice(0, index).split('\n').length
      return `${path}:${line}: ${phrase.replaceAll(/\s+/g, ' ')}`
    })
  })

/** One sentence for each subject of a commit that is not `area: imperative` in 60 characters. */
export const badSubjects = (subjects: readonly string[]): readonly string[] =>
  subjects
    .filter((subject) => subject.length > 60 || !/^[a-z\d-]+(?:\([a-z\d,-]+\))?: \S/.test(subject))
    .map((subject) => `commit "${subject}": a subject is "area: imperative", 60 characters at most`)
