import { insert } from './draft.ts'
import type { Draft } from './draft.ts'
import { onCodePoint } from './graphemes.ts'

/** The draft after Tab, and what to show when several words would do. */
export interface Completion {
  readonly draft: Draft
  readonly choices: readonly string[]
}

const mostShown = 60

/** Completes the word before the cursor: whole with a space if there is one choice, else as far as all agree. */
export async function completeDraft(
  draft: Draft,
  complete: (textBeforeCursor: string) => Promise<readonly string[]>,
  most: number,
): Promise<Completion> {
  const before = draft.text.slice(0, draft.cursor)
  const word = /\S{0,256}$/u.exec(before.slice(-256))?.[0] ?? ''
  const choices = await complete(before)
  const [only, ...others] = choices
  if (only === undefined) return { draft, choices: [] }
  const target = others.length === 0 ? `${only} ` : commonBeginning(choices)
  if (target === word || !startsWithWord(target, word)) return { draft, choices: choices.slice(0, mostShown) }
  const from = draft.cursor - word.length
  const cut = { text: draft.text.slice(0, from) + draft.text.slice(draft.cursor), cursor: from }
  return { draft: insert(cut, target, most), choices: [] }
}

/** Choices may be spelled in another case than the word. */
const startsWithWord = (choice: string, word: string): boolean =>
  choice.toLowerCase().startsWith(word.toLowerCase())

function commonBeginning(choices: readonly string[]): string {
  let length = choices[0]!.length
  for (const choice of choices) {
    while (!choice.startsWith(choices[0]!.slice(0, length))) length--
  }
  return choices[0]!.slice(0, onCodePoint(choices[0]!, length))
}
