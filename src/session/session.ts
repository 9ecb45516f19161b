import type { Person } from '../chat/people/person.ts'
import { createDeferred } from '../lib/deferred.ts'
import type { Account } from '../lib/scheduler.ts'
import { createSerial } from '../lib/serial.ts'
import { createTokenBucket, type Rate } from '../lib/token-bucket.ts'
import { createAppendView, onlyAppends } from './append-view.ts'
import { completeDraft } from './completion.ts'
import { createKeyDecoder, type Key } from './keys.ts'
import { EMPTY_EDITOR, press, withDraft, type Draft, type EditorEvent } from './line-editor.ts'
import { createLiveView } from './live-view.ts'
import { readLines } from './pipe-lines.ts'
import type { SessionHost, Terminal } from './ports.ts'
import { screenOf, type SessionView } from './session-view.ts'
import type { SharedBySessions } from './shared.ts'
import { createTrouble, type Trouble } from './trouble.ts'

/** One person at one terminal. */
export interface SessionOptions {
  readonly terminal: Terminal
  readonly person: Person
  readonly host: SessionHost
  readonly shared: SharedBySessions
  /** Pays for all that is done for this session. */
  readonly account: Account
  /** The longest draft or piped line, in UTF-16 units; 65536 when absent. */
  readonly draftUnits?: number
}

/**
 * Runs a session until the person leaves, is gone or is sent away; then ends the terminal with status 0, or with the one
 * that the host gave. What goes wrong with a key or a line is told in the session, which goes on. Rejects, with the
 * terminal still open, if the person cannot be brought into a room, or nothing can be drawn for them.
 */
export async function runSession({ draftUnits = 65_536, ...options }: SessionOptions): Promise<void> {
  const { terminal, person, host, shared, account } = options
  const over = createDeferred<void>()
  let hasLeft = false
  let exitStatus = 0
  const parts = { ...shared, own: person.name, frames: shared.frames.of(account), fail: over.reject }
  const view = onlyAppends(terminal)
    ? createAppendView(terminal, parts)
    : createLiveView(terminal, (style) => host.footer(style), parts)
  const screen = screenOf(person, view, (status) => {
    hasLeft = true
    exitStatus = status
    over.resolve()
  })
  const trouble = createTrouble(view, person, shared.log)
  const isOver = (): boolean => hasLeft || terminal.gone.aborted
  const session: OpenSession = {
    terminal,
    host,
    view,
    shared,
    trouble,
    draftUnits,
    isOver,
    // Lines that still wait when the person has left are dropped.
    async submit(line) {
      // A command may never wait for anything, and a backlog of such lines must not keep the thread.
      await account.rest()
      if (!isOver()) await trouble.during(() => host.submit(line))
    },
  }
  try {
    await host.attach(screen)
    const read = terminal.size() ? readKeyboard : readPipe
    await Promise.race([read(session, account), over.promise])
  } finally {
    hasLeft = true
    view.close()
    await host.detach(screen)
  }
  terminal.end(exitStatus)
}

/** A session that is attached to its host. */
export interface OpenSession {
  readonly terminal: Terminal
  readonly host: SessionHost
  readonly view: SessionView
  readonly shared: SharedBySessions
  readonly trouble: Trouble
  /** The longest draft, in UTF-16 units. */
  readonly draftUnits: number
  /** The person has left or is gone. */
  readonly isOver: () => boolean
  /** Called with each line, once the one before is done. Never rejects. */
  readonly submit: (line: string) => Promise<void>
}

const readPipe = ({ terminal, view, draftUnits, submit }: OpenSession, account: Account): Promise<void> =>
  readLines({
    input: terminal.input,
    account,
    lineUnits: draftUnits,
    onLine: submit,
    onTooLong: () => view.print(`! a line has at most ${draftUnits} characters; this one was not sent`),
  })

/** If more lines than this wait for those before them, reading waits too. */
const MAX_LINES_WAITING = 32
/** Bytes that are decoded, and keys that are done, before others have their turn. */
const PIECE_BYTES = 512
const PIECE_KEYS = 8
/** How often Tab and ^X ask the host something; a key beyond that does nothing. */
const ASK_RATE: Rate = { burst: 4, everyMs: 250 }

/** Reads keys until ^D on an empty line or the person is gone, and until all lines were submitted. */
async function readKeyboard(session: OpenSession, account: Account): Promise<void> {
  const decode = createKeyDecoder()
  const keyboard = createKeyboard(session)
  for await (const bytes of session.terminal.input) {
    for (let at = 0; at < bytes.length; at += PIECE_BYTES) {
      let keys: readonly Key[] = []
      const takeSome = (): boolean => {
        const some = keys.slice(0, PIECE_KEYS)
        keys = keys.slice(PIECE_KEYS)
        return keyboard.take(some)
      }
      let isLeaving = await account.run(() => {
        keys = decode(bytes.subarray(at, at + PIECE_BYTES))
        return takeSome()
      })
      while (keys.length > 0 && !isLeaving && !session.isOver()) isLeaving = await account.run(takeSome)
      if (isLeaving || session.isOver()) return await keyboard.allSubmitted()
      if (keyboard.waiting() > MAX_LINES_WAITING) await keyboard.allSubmitted()
    }
  }
  await keyboard.allSubmitted()
}

/** The editor of a session, and what its keys set off. */
function createKeyboard({ host, view, shared, trouble, draftUnits, submit }: OpenSession) {
  const oneByOne = createSerial()
  const mayComplete = createTokenBucket(ASK_RATE, shared.now)
  const mayStop = createTokenBucket(ASK_RATE, shared.now)
  let editor = EMPTY_EDITOR
  let waiting = 0
  let isFullTold = false

  async function complete(): Promise<void> {
    const { draft } = editor
    const found = await completeDraft(draft, (before, word) => host.complete(before, word), draftUnits)
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
        waiting++
        return void oneByOne(() => submit(event.line)).finally(() => waiting--)
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
    allSubmitted: () => oneByOne(() => undefined),
    /** True once the person leaves; the keys after that are not taken. */
    take(keys: readonly Key[]): boolean {
      const before = editor.draft
      const isLeaving = keys.some((key) => view.takes(key) && takeKey(key))
      if (editor.draft !== before) view.draft(editor.draft)
      return isLeaving
    },
  }
}
