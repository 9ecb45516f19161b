import { codePointAt } from '../lib/text/characters.ts'
import { nextBoundary, previousBoundary } from '../lib/text/graphemes.ts'
import type { Key, KeyName } from './keys.ts'

/** What somebody is typing. `cursor` is an index into `text` in UTF-16 units, never within a code point. */
export interface Draft {
  readonly text: string
  readonly cursor: number
}

/** A draft with the lines that were sent before. */
export interface LineEditor {
  readonly draft: Draft
  /** Oldest first. */
  readonly sent: readonly string[]
  /** Which of `sent` is shown; its length while the draft is a new one. */
  readonly at: number
  /** The new draft, put aside while an old line is shown. */
  readonly aside: string
}

/** What a key asks of the session besides changing the draft. */
export type EditorEvent =
  | { readonly type: 'send'; readonly line: string }
  | { readonly type: 'leave' | 'complete' | 'stop' | 'redraw' | 'full' }

/** The editor after a key, and what is to be done now. */
export interface EditorStep {
  readonly editor: LineEditor
  readonly event?: EditorEvent
}

const MAX_LINES_REMEMBERED = 200
/** All remembered lines together, in UTF-16 units; the newest is kept in any case. */
const MAX_UNITS_REMEMBERED = 131_072

export const EMPTY_DRAFT: Draft = { text: '', cursor: 0 }

export const EMPTY_EDITOR: LineEditor = { draft: EMPTY_DRAFT, sent: [], at: 0, aside: '' }

/** Pure: one key, one step. A draft has at most `maxUnits` UTF-16 units. Never throws. */
export function press(editor: LineEditor, key: Key, maxUnits: number): EditorStep {
  if (key.type !== 'press') return typeText(editor, key.text, maxUnits)
  switch (key.name) {
    case 'enter':
      return send(editor)
    case 'up':
      return { editor: recall(editor, editor.at - 1) }
    case 'down':
      return { editor: recall(editor, editor.at + 1) }
    case 'tab':
      return { editor, event: { type: 'complete' } }
    case 'stop':
    case 'redraw':
      return { editor, event: { type: key.name } }
    case 'eof':
      if (editor.draft.text === '') return { editor, event: { type: 'leave' } }
      return { editor: withDraft(editor, edit(editor.draft, 'delete', maxUnits)) }
    default:
      return { editor: withDraft(editor, edit(editor.draft, key.name, maxUnits)) }
  }
}

/** The same editor with another draft. */
export const withDraft = (editor: LineEditor, draft: Draft): LineEditor => ({ ...editor, draft })

/** A draft of this text, the cursor at its end. */
export const draftOf = (text: string): Draft => ({ text, cursor: text.length })

/** Puts text where the cursor is; what would make the draft longer than `maxUnits` UTF-16 units is left out. */
export function insert({ text, cursor }: Draft, inserted: string, maxUnits: number): Draft {
  const free = Math.max(0, maxUnits - text.length)
  const fits = inserted.slice(0, codePointAt(inserted, Math.min(free, inserted.length)))
  return { text: text.slice(0, cursor) + fits + text.slice(cursor), cursor: cursor + fits.length }
}

function typeText(editor: LineEditor, text: string, maxUnits: number): EditorStep {
  const draft = insert(editor.draft, text, maxUnits)
  const isCut = draft.text.length < editor.draft.text.length + text.length
  return { editor: withDraft(editor, draft), ...(isCut ? { event: { type: 'full' } } : {}) }
}

function send(editor: LineEditor): EditorStep {
  const line = editor.draft.text
  if (line.trim() === '') return { editor: withDraft(editor, EMPTY_DRAFT) }
  const sent = editor.sent.at(-1) === line ? editor.sent : remember(editor.sent, line)
  return { editor: { draft: EMPTY_DRAFT, sent, at: sent.length, aside: '' }, event: { type: 'send', line } }
}

function remember(sent: readonly string[], line: string): readonly string[] {
  let units = line.length
  let from = sent.length
  while (from > 0 && sent.length - from < MAX_LINES_REMEMBERED - 1) {
    units += sent[from - 1]?.length ?? 0
    if (units > MAX_UNITS_REMEMBERED) break
    from--
  }
  return [...sent.slice(from), line]
}

function recall(editor: LineEditor, at: number): LineEditor {
  if (at < 0 || at > editor.sent.length) return editor
  const aside = editor.at === editor.sent.length ? editor.draft.text : editor.aside
  return { ...editor, at, aside, draft: draftOf(editor.sent[at] ?? aside) }
}

/** Keys that do not edit change nothing. */
const edit = (draft: Draft, key: KeyName, maxUnits: number): Draft => EDITS[key]?.(draft, maxUnits) ?? draft

const EDITS: Readonly<Partial<Record<KeyName, (draft: Draft, maxUnits: number) => Draft>>> = {
  newline: (draft, maxUnits) => insert(draft, '\n', maxUnits),
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
  interrupt: () => EMPTY_DRAFT,
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
  let at = cursor
  while (at > 0 && isSpace(text.charCodeAt(at - 1))) at--
  while (at > 0 && !isSpace(text.charCodeAt(at - 1))) at--
  return at
}

function wordEnd({ text, cursor }: Draft): number {
  let at = cursor
  while (at < text.length && isSpace(text.charCodeAt(at))) at++
  while (at < text.length && !isSpace(text.charCodeAt(at))) at++
  return at
}

/** What `trim` takes away (ECMA-262, WhiteSpace and LineTerminator), as UTF-16 units. A word may have 65,536 of them. */
function isSpace(unit: number): boolean {
  if (unit < 0x1680) return unit === 0x20 || (unit >= 0x09 && unit <= 0x0d) || unit === 0xa0
  if (unit > 0x3000) return unit === 0xfeff
  return RARE_SPACES.has(unit)
}

const RARE_SPACES: ReadonlySet<number> = new Set([
  0x1680, 0x2000, 0x2001, 0x2002, 0x2003, 0x2004, 0x2005, 0x2006, 0x2007, 0x2008, 0x2009, 0x200a, 0x2028,
  0x2029, 0x202f, 0x205f, 0x3000,
])
