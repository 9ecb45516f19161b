import { createSerial } from '../lib/serial.ts'
import { createTokenBucket, type Rate } from '../lib/token-bucket.ts'
import { completeDraft } from './completion.ts'
import { createKeyDecoder, type Key } from './keys.ts'
import { EMPTY_EDITOR, press, withDraft, type Draft, type EditorEvent } from './line-editor.ts'
import type { OpenSession } from './open-session.ts'

/** If more lines than this wait for those before them, reading waits too. */
const MAX_LINES_WAITING = 32
/** Bytes that are decoded, and keys that are done, before others have their turn. */
const PIECE_BYTES = 512
const PIECE_KEYS = 8
/** How often Tab and ^X ask the host something; a key beyond that does nothing. */
const ASK_RATE: Rate = { burst: 4, everyMs: 250 }

/** Reads keys until ^D on an empty line or the person is gone, and until all lines were submitted. */
export async function readKeyboard(session: OpenSession): Promise<void> {
  const { terminal, shared } = session
  const decode = createKeyDecoder()
  const keyboard = createKeyboard(session)
  for await (const bytes of terminal.input) {
    for (let at = 0; at < bytes.length; at += PIECE_BYTES) {
      const keys = await shared.slices.turn(() => decode(bytes.subarray(at, at + PIECE_BYTES)))
      for (let from = 0; from < keys.length; from += PIECE_KEYS) {
        const isLeaving = await shared.slices.turn(() => keyboard.take(keys.slice(from, from + PIECE_KEYS)))
        if (isLeaving || session.isOver()) return await keyboard.allSubmitted()
      }
      if (keyboard.waiting() > MAX_LINES_WAITING) await keyboard.allSubmitted()
    }
  }
  await keyboard.allSubmitted()
}

/** The editor of a session, and what its keys set off. */
function createKeyboard({ host, view, shared, trouble, draftUnits, submit }: OpenSession) {
  const inOrder = createSerial()
  const mayComplete = createTokenBucket(ASK_RATE, shared.now)
  const mayStop = createTokenBucket(ASK_RATE, shared.now)
  let editor = EMPTY_EDITOR
  let waiting = 0
  let isFullTold = false

  function send(line: string): void {
    waiting++
    void inOrder(() => submit(line)).finally(() => waiting--)
  }

  async function complete(): Promise<void> {
    const { draft } = editor
    const found = await completeDraft(draft, (text) => host.complete(text), draftUnits)
    if (editor.draft !== draft) return
    if (found.choices.length > 0) view.print(found.choices.join('  '))
    editor = withDraft(editor, found.draft)
    view.draft(editor.draft)
  }

  function tellFull(): void {
    if (isFullTold) return
    isFullTold = true
    view.bell()
    view.print(`! a draft has at most ${draftUnits} characters; the rest was left out`)
  }

  /** Does what a key asks for; `sent` is the draft before it. */
  function act(event: EditorEvent, sent: Draft): void {
    switch (event.type) {
      case 'send':
        view.sent(sent)
        return send(event.line)
      case 'complete':
        return void (mayComplete() && trouble.during(complete))
      case 'stop':
        return void (mayStop() && trouble.during(() => host.stop()))
      case 'redraw':
        return view.redraw()
      case 'full':
        return tellFull()
      case 'leave':
    }
  }

  /** True once the person leaves. A key that fails leaves the draft as it was. */
  function takeKey(key: Key): boolean {
    const { draft } = editor
    try {
      const step = press(editor, key, draftUnits)
      editor = step.editor
      if (step.event?.type !== 'full') isFullTold = false
      if (step.event) act(step.event, draft)
      return step.event?.type === 'leave'
    } catch (error) {
      trouble.tell(error)
      return false
    }
  }

  return {
    waiting: () => waiting,
    allSubmitted: () => inOrder(() => undefined),
    /** True once the person leaves; the keys after that are not taken. */
    take(keys: readonly Key[]): boolean {
      const before = editor.draft
      const isLeaving = keys.some((key) => view.takes(key) && takeKey(key))
      if (editor.draft !== before) view.draft(editor.draft)
      return isLeaving
    },
  }
}
