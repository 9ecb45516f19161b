import type { Person } from '../chat/person.ts'
import { createDeferred } from '../lib/deferred.ts'
import { createSerial } from '../lib/serial.ts'
import { createAppendView, onlyAppends } from './append-view.ts'
import { completeDraft } from './completion.ts'
import { createKeyDecoder } from './keys.ts'
import { EMPTY_EDITOR, press, withDraft, type Draft, type EditorEvent } from './line-editor.ts'
import { createLiveView } from './live-view.ts'
import { readLines } from './pipe-lines.ts'
import type { SessionHost, Terminal } from './ports.ts'
import { screenOf, type SessionView } from './session-view.ts'

/** One person at one terminal. */
export interface SessionOptions {
  readonly terminal: Terminal
  readonly person: Person
  readonly host: SessionHost
  /** The longest draft or piped line, in UTF-16 units; 65536 when absent. */
  readonly draftUnits?: number
}

/**
 * Runs a session until the person leaves, is gone or is sent away; then ends the terminal with status 0.
 * Rejects, with the terminal still open, if the host throws.
 */
export async function runSession({ draftUnits = 65_536, ...options }: SessionOptions): Promise<void> {
  const { terminal, person, host } = options
  const view = onlyAppends(terminal)
    ? createAppendView(terminal)
    : createLiveView(terminal, () => host.status())
  const over = createDeferred<void>()
  let isOver = false
  const screen = screenOf(person, view, () => {
    isOver = true
    over.resolve()
  })
  // A backlog of lines ends with its writer: what they would not see posted is not posted.
  const submit = async (line: string): Promise<void> => {
    if (!isOver && !terminal.gone.aborted) await host.submit(line)
  }
  try {
    await host.attach(screen)
    const read = terminal.size() ? readKeyboard : readPipe
    await Promise.race([read({ terminal, host, view, draftUnits, submit, fail: over.reject }), over.promise])
  } finally {
    isOver = true
    view.close()
    await host.detach(screen)
  }
  terminal.end(0)
}

/** A session that is attached to its host. */
interface OpenSession {
  readonly terminal: Terminal
  readonly host: SessionHost
  readonly view: SessionView
  readonly draftUnits: number
  /** Called with each line, once the one before is done. */
  readonly submit: (line: string) => Promise<void>
  /** Called with what ends the session. */
  readonly fail: (error: unknown) => void
}

const readPipe = ({ terminal, view, draftUnits, submit }: OpenSession): Promise<void> =>
  readLines({
    input: terminal.input,
    lineUnits: draftUnits,
    onLine: submit,
    onTooLong: () => view.print(`! a line has at most ${draftUnits} characters; this one was not sent`),
  })

/** If more lines than this wait for those before them, reading waits too. */
const MAX_LINES_WAITING = 32

/** Reads keys until ^D on an empty line or the person is gone, and until all lines were submitted. */
async function readKeyboard(session: OpenSession): Promise<void> {
  const { terminal, host, view, draftUnits, submit, fail } = session
  const decode = createKeyDecoder()
  const inOrder = createSerial()
  let editor = EMPTY_EDITOR
  let waiting = 0

  function send(line: string): void {
    waiting++
    view.draft(editor.draft)
    void inOrder(() => submit(line))
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

  /** Does what a key asks for; `sent` is the draft before it. */
  function act(event: EditorEvent, sent: Draft): void {
    switch (event.type) {
      case 'send':
        view.sent(sent)
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

  /** False once the person leaves. */
  function take(bytes: Uint8Array): boolean {
    for (const key of decode(bytes).filter((one) => view.takes(one))) {
      const { draft } = editor
      const step = press(editor, key, draftUnits)
      editor = step.editor
      if (step.event) act(step.event, draft)
      if (step.event?.type === 'leave') return false
    }
    return true
  }

  for await (const bytes of terminal.input) {
    const before = editor.draft
    if (!take(bytes)) break
    if (editor.draft !== before) view.draft(editor.draft)
    if (waiting > MAX_LINES_WAITING) await inOrder(() => undefined)
  }
  await inOrder(() => undefined)
}
