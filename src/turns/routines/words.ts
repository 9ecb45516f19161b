import { RE2JS } from 're2js'
import { errorMessage } from '../../base/errors.ts'
import { foldCase } from '../../words/mentions.ts'
import { Refusal } from '../../words/errors.ts'
import type { WatchCondition } from './ports.ts'

/** Characters of a regular expression, which is matched with each line of a room. */
const MAX_REGEX = 200

type Words = Pick<WatchCondition, 'words' | 'isRegex'>

/** Throws `Refusal` for words that no line can be compared with. */
export function checkWords({ words, isRegex }: Words): void {
  if (words.trim() === '') throw new Refusal('a watch needs a word or a phrase to look for')
  if (words.length > MAX_REGEX)
    throw new Refusal(`what a watch looks for has at most ${MAX_REGEX} characters`)
  if (!isRegex) return
  try {
    RE2JS.compile(words)
  } catch (error) {
    throw new Refusal(`that is no regular expression (RE2): ${errorMessage(error)}`)
  }
}

/** Tests lines for a phrase, in any case, or for a match of the expression. */
export function createWordTest({ words, isRegex }: Words): (line: string) => boolean {
  if (isRegex) {
    const pattern = RE2JS.compile(words)
    return (line) => pattern.matcher(line).find()
  }
  const phrase = foldCase(words)
  return (line) => foldCase(line).includes(phrase)
}
