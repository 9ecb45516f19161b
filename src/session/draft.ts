import { nextBoundary, onCodePoint, previousBoundary } from './graphemes.ts'
import type { Key, KeyName } from './keys.ts'

/** What somebody is typing. `cursor` is an index into `text` in UTF-16 units, never within a code point. */
export interface Draft {
  readonly text: string
  readonly cursor: number
}

export const emptyDraft: Draft = { text: '', cursor: 0 }

/** A draft of this text, the cursor at its end. */
export const draftOf = (text: string): Draft => ({ text, cursor: text.length })

/** The draft after a key. Text beyond `most` UTF-16 units is left out. Keys that do not edit change nothing. */
export function edit(draft: Draft, key: Key, most: number): Draft {
  if (key.type !== 'press') return insert(draft, key.text, most)
  const action = actions[key.name]
  return action ? action(draft, most) : draft
}

/** Puts text where the cursor is. */
export function insert({ text, cursor }: Draft, inserted: string, most: number): Draft {
  const room = Math.max(0, most - text.length)
  const fits = inserted.slice(0, onCodePoint(inserted, Math.min(room, inserted.length)))
  return { text: text.slice(0, cursor) + fits + text.slice(cursor), cursor: cursor + fits.length }
}

const actions: Readonly<Partial<Record<KeyName, (draft: Draft, most: number) => Draft>>> = {
  newline: (draft, most) => insert(draft, '\n', most),
  backspace: (draft) => cut(draft, previousBoundary(draft.text, draft.cursor), draft.cursor),
  delete: (draft) => cut(draft, draft.cursor, nextBoundary(draft.text, draft.cursor)),
  left: (draft) => moveTo(draft, previousBoundary(draft.text, draft.cursor)),
  right: (draft) => moveTo(draft, nextBoundary(draft.text, draft.cursor)),
  home: (draft) => moveTo(draft, lineStart(draft)),
  end: (draft) => moveTo(draft, lineEnd(draft)),
  'word-left': (draft) => moveTo(draft, wordStart(draft)),
  'word-right': (draft) => moveTo(draft, wordEnd(draft)),
  'kill-word': (draft) => cut(draft, wordStart(draft), draft.cursor),
  'kill-word-right': (draft) => cut(draft, draft.cursor, wordEnd(draft)),
  'kill-left': (draft) => cut(draft, lineStart(draft), draft.cursor),
  'kill-right': (draft) => cut(draft, draft.cursor, Math.max(lineEnd(draft), nextIfLineEnd(draft))),
  interrupt: () => emptyDraft,
}

const moveTo = ({ text }: Draft, cursor: number): Draft => ({ text, cursor })

const cut = ({ text }: Draft, from: number, to: number): Draft => ({
  text: text.slice(0, from) + text.slice(to),
  cursor: from,
})

const lineStart = ({ text, cursor }: Draft): number =>
  cursor === 0 ? 0 : text.lastIndexOf('\n', cursor - 1) + 1

function lineEnd({ text, cursor }: Draft): number {
  const end = text.indexOf('\n', cursor)
  return end < 0 ? text.length : end
}

/** At the end of a line, killing to the right joins it with the next. */
const nextIfLineEnd = ({ text, cursor }: Draft): number => (text[cursor] === '\n' ? cursor + 1 : cursor)

function wordStart({ text, cursor }: Draft): number {
  let at = text.slice(0, cursor).trimEnd().length
  while (at > 0 && !isSpace(text[at - 1]!)) at--
  return at
}

function wordEnd({ text, cursor }: Draft): number {
  let at = text.length - text.slice(cursor).trimStart().length
  while (at < text.length && !isSpace(text[at]!)) at++
  return at
}

const isSpace = (unit: string): boolean => unit.trim() === ''
