import { codePointAt } from '../lib/text/characters.ts'
import { insert, type Draft } from './line-editor.ts'

/** The draft after Tab, and what to show when several words would do. */
interface CompletedDraft {
  readonly draft: Draft
  readonly choices: readonly string[]
}

const MAX_CHOICES_SHOWN = 60

/** No longer word can be completed, in UTF-16 units. In a long text the search would take the square of its length. */
const MAX_WORD_UNITS = 256

/**
 * Completes the word before the cursor: by the one choice and a space, else as far as all agree. The draft
 * stays within `maxUnits` UTF-16 units. Rejects if `complete` does.
 */
export async function completeDraft(
  draft: Draft,
  complete: (textBeforeCursor: string, word: string) => Promise<readonly string[]>,
  maxUnits: number,
): Promise<CompletedDraft> {
  const before = draft.text.slice(0, draft.cursor)
  const word = /\S*$/u.exec(before.slice(-MAX_WORD_UNITS))?.[0] ?? ''
  const choices = await complete(before, word)
  const [first, ...others] = choices
  if (first === undefined) return { draft, choices: [] }
  const target = others.length === 0 ? `${first} ` : commonBeginning(first, others)
  if (others.length > 0 && (target === word || !startsWithWord(target, word)))
    return { draft, choices: shortened(choices) }
  const from = draft.cursor - word.length
  const cut = { text: draft.text.slice(0, from) + draft.text.slice(draft.cursor), cursor: from }
  return { draft: insert(cut, target, maxUnits), choices: [] }
}

function shortened(choices: readonly string[]): readonly string[] {
  if (choices.length <= MAX_CHOICES_SHOWN) return choices
  return [...choices.slice(0, MAX_CHOICES_SHOWN), `… ${choices.length - MAX_CHOICES_SHOWN} more`]
}

/** Choices may be spelled in another case than the word. */
const startsWithWord = (choice: string, word: string): boolean =>
  choice.toLowerCase().startsWith(word.toLowerCase())

function commonBeginning(first: string, others: readonly string[]): string {
  let { length } = first
  for (const other of others) {
    while (!other.startsWith(first.slice(0, length))) length--
  }
  return first.slice(0, codePointAt(first, length))
}
