import { draftOf, edit, emptyDraft } from './draft.ts'
import type { Draft } from './draft.ts'
import type { Key } from './keys.ts'

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

const remembered = 200

export const emptyEditor: LineEditor = { draft: emptyDraft, sent: [], at: 0, aside: '' }

/** Pure: one key, one step. `most` is the longest draft in UTF-16 units. Never throws. */
export function press(editor: LineEditor, key: Key, most: number): EditorStep {
  if (key.type === 'press') {
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
        return { editor: withDraft(editor, edit(editor.draft, { type: 'press', name: 'delete' }, most)) }
      default:
        return { editor: withDraft(editor, edit(editor.draft, key, most)) }
    }
  }
  const draft = edit(editor.draft, key, most)
  const isCut = draft.text.length < editor.draft.text.length + key.text.length
  return { editor: withDraft(editor, draft), ...(isCut ? { event: { type: 'full' } } : {}) }
}

/** The same editor with another draft. */
export const withDraft = (editor: LineEditor, draft: Draft): LineEditor => ({ ...editor, draft })

function send(editor: LineEditor): EditorStep {
  const line = editor.draft.text
  if (line.trim() === '') return { editor: { ...editor, draft: emptyDraft } }
  const sent = editor.sent.at(-1) === line ? editor.sent : [...editor.sent, line].slice(-remembered)
  return { editor: { draft: emptyDraft, sent, at: sent.length, aside: '' }, event: { type: 'send', line } }
}

function recall(editor: LineEditor, at: number): LineEditor {
  if (at < 0 || at > editor.sent.length) return editor
  const aside = editor.at === editor.sent.length ? editor.draft.text : editor.aside
  return { ...editor, at, aside, draft: draftOf(editor.sent[at] ?? aside) }
}
