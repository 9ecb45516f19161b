import type { Draft } from './draft.ts'
import { isSpace } from './words.ts'

/** What a draft was before each change, oldest first. */
export type Undo = readonly Draft[]

const MAX_STEPS = 100
/** All of them together, in UTF-16 units; the newest is kept in any case. */
const MAX_UNITS = 131_072

/** Keeps what the draft was before a change. */
export function keep(undo: Undo, draft: Draft): Undo {
  let units = draft.text.length
  const tooOld = undo.findLastIndex(({ text }) => (units += text.length) > MAX_UNITS)
  return [...undo.slice(Math.max(tooOld + 1, undo.length + 1 - MAX_STEPS)), draft]
}

/** Typing is undone word by word: whether a text that is typed behind this draft begins a word. */
export const beginsWord = ({ text, cursor }: Draft, typed: string): boolean =>
  !isSpace(typed.charCodeAt(0)) && (cursor === 0 || isSpace(text.charCodeAt(cursor - 1)))
