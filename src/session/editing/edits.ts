import { codePointAt } from '../../lib/text/characters.ts'
import { nextBoundary, previousBoundary } from '../../lib/text/graphemes.ts'
import type { KeyName } from '../input/keys.ts'
import { cut, type Draft, moveTo } from './draft.ts'
import { changeCase, transpose, transposeWords } from './rewrite.ts'
import { blankWordStart, wordEnd, wordStart } from './words.ts'

/** Puts text where the cursor is; what would make the draft longer than `maxUnits` UTF-16 units is left out. */
export function insert({ text, cursor }: Draft, inserted: string, maxUnits: number): Draft {
  const free = Math.max(0, maxUnits - text.length)
  const fits = inserted.slice(0, codePointAt(inserted, Math.min(free, inserted.length)))
  return { text: text.slice(0, cursor) + fits + text.slice(cursor), cursor: cursor + fits.length }
}

/** What a key cuts out, as two indices, and on which side of the cursor that is. */
export interface Killing {
  readonly side: 'left' | 'right'
  readonly range: (draft: Draft) => readonly [from: number, to: number]
}

/** What keys cut out, so that it can be put back. */
export const KILLS: Readonly<Partial<Record<KeyName, Killing>>> = {
  'kill-word': { side: 'left', range: (draft) => [blankWordStart(draft), draft.cursor] },
  'kill-word-left': { side: 'left', range: (draft) => [wordStart(draft), draft.cursor] },
  'kill-word-right': { side: 'right', range: (draft) => [draft.cursor, wordEnd(draft)] },
  'kill-left': { side: 'left', range: (draft) => [lineStart(draft), draft.cursor] },
  'kill-right': {
    side: 'right',
    range: (draft) => [draft.cursor, Math.max(lineEnd(draft), nextIfLineEnd(draft))],
  },
}

/** What keys do to a draft that goes nowhere else. */
export const EDITS: Readonly<Partial<Record<KeyName, (draft: Draft, maxUnits: number) => Draft>>> = {
  newline: (draft, maxUnits) => insert(draft, '\n', maxUnits),
  backspace: (draft) => cut(draft, previousBoundary(draft.text, draft.cursor), draft.cursor),
  delete: (draft) => cut(draft, draft.cursor, nextBoundary(draft.text, draft.cursor)),
  left: (draft) => moveTo(draft, previousBoundary(draft.text, draft.cursor)),
  right: (draft) => moveTo(draft, nextBoundary(draft.text, draft.cursor)),
  home: (draft) => moveTo(draft, lineStart(draft)),
  end: (draft) => moveTo(draft, lineEnd(draft)),
  'word-left': (draft) => moveTo(draft, wordStart(draft)),
  'word-right': (draft) => moveTo(draft, wordEnd(draft)),
  'upper-word': (draft, maxUnits) => changeCase(draft, 'upper-word', maxUnits),
  'lower-word': (draft, maxUnits) => changeCase(draft, 'lower-word', maxUnits),
  'capital-word': (draft, maxUnits) => changeCase(draft, 'capital-word', maxUnits),
  transpose,
  'transpose-words': transposeWords,
}

const lineStart = ({ text, cursor }: Draft): number =>
  cursor === 0 ? 0 : text.lastIndexOf('\n', cursor - 1) + 1

function lineEnd({ text, cursor }: Draft): number {
  const end = text.indexOf('\n', cursor)
  return end < 0 ? text.length : end
}

/** At the end of a line, killing to the right joins it with the next. */
const nextIfLineEnd = ({ text, cursor }: Draft): number => (text[cursor] === '\n' ? cursor + 1 : cursor)
