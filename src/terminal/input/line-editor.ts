import {
  beginsWord,
  cut,
  type Draft,
  draftOf,
  EDITS,
  EMPTY_DRAFT,
  insert,
  pushUndo,
  kill,
  type KillCommand,
  extendLastKill,
  KILLS,
  type KillRing,
  rotate,
  type Undo,
} from './edit-commands.ts'
import {
  beginSearch,
  remember,
  type Search,
  shortenQuery,
  extendQuery,
  findNext,
  shownSearch,
} from './line-history.ts'
import type { Key, KeyName } from './keys.ts'

export interface LineEditor {
  readonly draft: Draft
  readonly past: readonly string[]
  /** Index in `past` of the shown line; the length of `past` for a new draft. */
  readonly at: number
  /** The new draft while an old line is shown. */
  readonly aside: string
  /** Unsent changes of older lines; recalling such a line brings its change back. */
  readonly changes: readonly Change[]
  readonly kills: KillRing
  readonly undo: Undo
  /** What the previous key did, if the next key may continue it. */
  readonly last?: EditKind
  readonly yankedFrom?: number
  readonly search?: Search
}

interface Change {
  readonly at: number
  readonly text: string
}

/** A change may be as long as a draft. */
const MAX_CHANGES = 8

type EditKind = 'type' | 'paste' | 'kill' | 'yank'

export type EditorEvent =
  | { readonly type: 'send'; readonly line: string }
  | { readonly type: 'leave' | 'how-to-leave' | 'complete' | 'next-room' | 'stop' | 'clear' | 'full' }

interface EditorStep {
  readonly editor: LineEditor
  readonly event?: EditorEvent
}

/** Also limits a piped line. */
export const MAX_DRAFT_UNITS = 65_536

export const EMPTY_EDITOR: LineEditor = {
  draft: EMPTY_DRAFT,
  past: [],
  at: 0,
  aside: '',
  changes: [],
  kills: [],
  undo: [],
}

/** Pure: one key, one step. A draft has at most `maxUnits`. Never throws. */
export function press(editor: LineEditor, key: Key, maxUnits: number): EditorStep {
  if (editor.search) return pressInSearch(editor, editor.search, key, maxUnits)
  if (key.type !== 'press') return typeText(editor, key, maxUnits)
  const { draft } = editor
  switch (key.name) {
    case 'enter':
      return send(editor)
    case 'up':
      return { editor: recall(editor, editor.at - 1) }
    case 'down':
      return { editor: recall(editor, editor.at + 1) }
    case 'search':
      return { editor: { ...editor, search: beginSearch(editor.past, draft) } }
    case 'tab':
      return { editor, event: { type: 'complete' } }
    case 'next-room':
    case 'stop':
    case 'clear':
      return { editor, event: { type: key.name } }
    case 'eof':
      return draft.text === ''
        ? { editor, event: { type: 'leave' } }
        : { editor: applyEdit(editor, 'delete', maxUnits) }
    case 'interrupt':
      return draft.text === '' ? { editor, event: { type: 'how-to-leave' } } : { editor: dropDraft(editor) }
    case 'undo':
      return { editor: undoLast(editor) }
    case 'yank':
      return { editor: yank(editor, editor.kills, draft, maxUnits) }
    case 'yank-pop':
      return { editor: yankPop(editor, maxUnits) }
    default:
      return { editor: applyEdit(editor, key.name, maxUnits) }
  }
}

export const withDraft = (editor: LineEditor, draft: Draft): LineEditor => withChange(editor, draft)

export function withHistory(editor: LineEditor, lines: readonly string[]): LineEditor {
  const past = [...lines, ...editor.past]
  const isNew = editor.at === editor.past.length
  const changes = editor.changes.map(({ at, text }) => ({ at: at + lines.length, text }))
  return { ...editor, past, changes, at: isNew ? past.length : editor.at + lines.length }
}

/**
 * Returns the unsent texts: the new draft, also if an older line is shown, and the older line if it was
 * changed. Skips blank texts.
 */
export const unsentTexts = ({ draft, past, at, aside }: LineEditor): readonly string[] =>
  [at < past.length ? aside : '', draft.text === past[at] ? '' : draft.text].filter(
    (line) => line.trim() !== '',
  )

/** Keeps a draft that is an older line, since it is on the screen. */
export const withoutPast = (editor: LineEditor): LineEditor => ({
  ...withoutSearch(editor),
  past: [],
  at: 0,
  aside: '',
  changes: [],
  kills: [],
  undo: [],
})

export const shownDraft = ({ draft, search, past }: LineEditor): Draft =>
  search ? shownSearch(search, past) : draft

function withChange(editor: LineEditor, draft: Draft, doing?: EditKind): LineEditor {
  const { last: _last, yankedFrom: _from, ...rest } = editor
  const undo = draft.text === editor.draft.text ? editor.undo : pushUndo(editor.undo, editor.draft)
  return { ...rest, draft, undo, ...(doing ? { last: doing } : {}) }
}

function typeText(
  editor: LineEditor,
  { type, text }: Exclude<Key, { type: 'press' }>,
  maxUnits: number,
): EditorStep {
  const draft = insert(editor.draft, text, maxUnits)
  const doing = type === 'text' ? 'type' : 'paste'
  const goesOn = editor.last === doing && (doing === 'paste' || !beginsWord(editor.draft, text))
  const isCut = draft.text.length < editor.draft.text.length + text.length
  return {
    editor: goesOn ? { ...editor, draft } : withChange(editor, draft, doing),
    ...(isCut ? { event: { type: 'full' } } : {}),
  }
}

/** A key that does not belong to the search accepts the line that was found and acts on it. */
function pressInSearch(editor: LineEditor, search: Search, key: Key, maxUnits: number): EditorStep {
  const { past } = editor
  const go = (next: Search): EditorStep => ({ editor: { ...editor, search: next } })
  if (key.type !== 'press') return go(extendQuery(search, past, key.text))
  switch (key.name) {
    case 'search':
      return go(findNext(search, past, 'older'))
    case 'search-newer':
      return go(findNext(search, past, 'newer'))
    case 'backspace':
      return go(shortenQuery(search, past))
    case 'clear':
      return { editor, event: { type: 'clear' } }
    case 'cancel':
      return { editor: withoutSearch(editor) }
    // As in readline: ^G goes back to the draft, ^C drops it too, so that ^C and ^D leave from anywhere.
    case 'interrupt':
      return { editor: dropDraft(withoutSearch(editor)) }
    default: {
      const taken = search.at in past ? recall(withoutSearch(editor), search.at) : withoutSearch(editor)
      return press(taken, key, maxUnits)
    }
  }
}

function withoutSearch(editor: LineEditor): LineEditor {
  const { search: _search, ...rest } = editor
  return rest
}

function send({ draft, past: before, kills }: LineEditor): EditorStep {
  const line = draft.text
  const isBlank = line.trim() === ''
  const past = isBlank || before.at(-1) === line ? before : remember(before, line)
  const editor = { ...EMPTY_EDITOR, past, at: past.length, kills }
  return isBlank ? { editor } : { editor, event: { type: 'send', line } }
}

function recall(editor: LineEditor, at: number): LineEditor {
  if (at < 0 || at > editor.past.length) return editor
  const { draft, past } = editor
  const aside = editor.at === past.length ? draft.text : editor.aside
  const others = editor.changes.filter((change) => change.at !== editor.at)
  const isChanged = editor.at < past.length && draft.text !== past[editor.at]
  const changes = isChanged ? [...others, { at: editor.at, text: draft.text }].slice(-MAX_CHANGES) : others
  const shown = changes.find((change) => change.at === at)?.text ?? past[at] ?? aside
  return { ...withChange(editor, draftOf(shown)), at, aside, changes }
}

const dropDraft = (editor: LineEditor): LineEditor => ({
  ...withChange(editor, EMPTY_DRAFT),
  at: editor.past.length,
  aside: '',
  changes: [],
})

function undoLast(editor: LineEditor): LineEditor {
  const before = editor.undo.at(-1)
  return before ? { ...withChange(editor, before), undo: editor.undo.slice(0, -1) } : editor
}

function yank(editor: LineEditor, kills: KillRing, draft: Draft, maxUnits: number): LineEditor {
  const text = kills.at(-1)
  if (text === undefined) return editor
  return { ...withChange(editor, insert(draft, text, maxUnits), 'yank'), kills, yankedFrom: draft.cursor }
}

function yankPop(editor: LineEditor, maxUnits: number): LineEditor {
  const { draft, yankedFrom } = editor
  if (editor.last !== 'yank' || yankedFrom === undefined) return editor
  return yank(editor, rotate(editor.kills), cut(draft, yankedFrom, draft.cursor), maxUnits)
}

function applyEdit(editor: LineEditor, key: KeyName, maxUnits: number): LineEditor {
  const kills = KILLS[key]
  return kills
    ? applyKill(editor, kills)
    : withChange(editor, EDITS[key]?.(editor.draft, maxUnits) ?? editor.draft)
}

function applyKill(editor: LineEditor, { side, range }: KillCommand): LineEditor {
  const [from, to] = range(editor.draft)
  const text = editor.draft.text.slice(from, to)
  if (text === '') return editor
  const kills = editor.last === 'kill' ? extendLastKill(editor.kills, text, side) : kill(editor.kills, text)
  return { ...withChange(editor, cut(editor.draft, from, to), 'kill'), kills }
}
