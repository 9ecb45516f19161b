import { createSerial } from '../lib/serial.ts'
import { completeDraft } from './completion.ts'
import type { Draft } from './draft.ts'
import { createKeyDecoder } from './keys.ts'
import type { Key, KeyName } from './keys.ts'
import { emptyEditor, press, withDraft } from './line-editor.ts'
import type { EditorEvent } from './line-editor.ts'
import type { SessionHost, Terminal } from './ports.ts'
import type { View } from './view.ts'

/** What the keyboard needs of its session. */
export interface KeyboardOptions {
  readonly terminal: Terminal
  readonly view: View
  readonly host: Pick<SessionHost, 'complete' | 'stop'>
  /** The longest draft, in UTF-16 units. */
  readonly draftUnits: number
  /** True where the cursor can only be at the end. */
  readonly isAppendOnly: boolean
  /** Called for each line, one after the other. */
  readonly handle: (line: string) => Promise<void>
  /** Called with what ends the session. */
  readonly fail: (error: unknown) => void
}

/** Lines that wait for those before them; more, and reading waits too. */
const mostWaiting = 32

/** Reads keys until ^D on an empty line or the person is gone, and until all lines were handled. */
export async function readKeyboard(options: KeyboardOptions): Promise<void> {
  const { terminal, view, host, draftUnits, isAppendOnly, handle, fail } = options
  const decode = createKeyDecoder()
  const inOrder = createSerial()
  let editor = emptyEditor
  let waiting = 0

  function send(line: string): void {
    waiting++
    view.draft(editor.draft)
    void inOrder(() => handle(line))
      .catch(fail)
      .finally(() => waiting--)
  }

  async function complete(): Promise<void> {
    const { draft } = editor
    const found = await completeDraft(draft, (text) => host.complete(text), draftUnits)
    if (editor.draft !== draft) return
    if (found.choices.length > 0) view.print(found.choices.join('  '))
    editor = withDraft(editor, found.draft)
    view.draft(editor.draft)
  }

  function act(event: EditorEvent, before: Draft): void {
    switch (event.type) {
      case 'send':
        view.sent(before)
        return send(event.line)
      case 'complete':
        return void complete().catch(fail)
      case 'stop':
        return void host.stop().catch(fail)
      case 'redraw':
        return view.redraw()
      case 'full':
        view.bell()
        return view.print(`! a draft has at most ${draftUnits} characters; the rest was left out`)
      case 'leave':
    }
  }

  for await (const bytes of terminal.input) {
    const before = editor.draft
    let isLeaving = false
    for (const key of decode(bytes)) {
      if (isAppendOnly && movesCursor(key)) continue
      const step = press(editor, key, draftUnits)
      const { draft } = editor
      editor = step.editor
      if (step.event) act(step.event, draft)
      if (step.event?.type === 'leave') isLeaving = true
      if (isLeaving) break
    }
    if (isLeaving) break
    if (editor.draft !== before) view.draft(editor.draft)
    if (waiting > mostWaiting) await inOrder(() => undefined)
  }
  await inOrder(() => undefined)
}

const moves: ReadonlySet<KeyName> = new Set([
  'left',
  'right',
  'home',
  'end',
  'word-left',
  'word-right',
  'delete',
  'kill-right',
  'kill-word-right',
])

const movesCursor = (key: Key): boolean => key.type === 'press' && moves.has(key.name)
