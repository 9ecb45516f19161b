import { createTokenBucket, type Rate } from '../../lib/token-bucket.ts'
import { draftOf, type Draft, insert } from './edit-commands.ts'
import { createEnterAgain } from './enter-again.ts'
import type { Key } from './keys.ts'
import {
  type EditorEvent,
  EMPTY_EDITOR,
  press,
  putAside,
  shownDraft,
  unsentIn,
  withDraft,
  withLine,
  withMore,
  withoutPast,
  withPast,
} from './line-editor.ts'
import type { TypedBefore, Unsent } from '../ports.ts'
import type { OpenSession } from '../session.ts'
import { createWaitingLines } from './line-queue.ts'
import { codePointAt } from '../../lib/text/characters.ts'

/** Takes the keys of one session. */
export interface Keyboard {
  /** True once the person leaves; the keys after that are not taken. */
  take(keys: readonly Key[]): boolean
  /** What was typed in earlier sessions comes before what is typed in this one. */
  remember(typed: TypedBefore): void
  /** A draft that another session of the person left behind comes back with ↑. */
  offer(draft: string): void
  /** The person is put out of their room: the draft and the rest of a paste come back with ↑ only. */
  putAside(): void
  /** What was typed before is not brought back any more. */
  forget(): void
  /** What was typed and not sent, or dropped before it began. */
  unsent(): Unsent
  /** True where so many lines wait that no more keys are to be read. */
  isFull(): boolean
  allSubmitted(): Promise<void>
}

/** How often Tab and ^X ask the host something; a key beyond that does nothing. */
const ASK_RATE: Rate = { burst: 4, everyMs: 250 }

/** The hint says the same each time. */
const HINT_RATE: Rate = { burst: 1, everyMs: 2_000 }

const HOW_TO_LEAVE = '-- ^D or /quit leaves; ^C clears what you typed, ^X stops what a model does'
const PUT_ASIDE = '! what you typed was for the room before: ↑ brings it back'
const ENTER_AGAIN = '! this may have been for the room before: Enter again says it here'
const DRAFT_KEPT = '-- your connection broke while you typed: ↑ brings your draft back'
const OTHER_DRAFT_KEPT =
  '-- another connection of yours broke while you typed there: ↑ brings that draft back'

const droppedLine = (count: number): string =>
  count === 1
    ? '-- a line that waited is dropped: ↑ brings it back'
    : `-- ${count} lines that waited are dropped: ↑ brings them back`

/** The editor of a session, and what its keys set off. */
export function createKeyboard({
  terminal,
  host,
  view,
  shared,
  trouble,
  draftUnits,
  submit,
}: OpenSession): Keyboard {
  const lines = createWaitingLines()
  const mayComplete = createTokenBucket(ASK_RATE, shared.now)
  const mayStop = createTokenBucket(ASK_RATE, shared.now)
  const mayHint = createTokenBucket(HINT_RATE, shared.now)
  let editor = EMPTY_EDITOR
  let isFullTold = false
  /** The draft that was put aside last, with the rest of its paste as long as that comes. */
  let aside: string | undefined
  /** Lines that ↑ brings back, and that nobody has taken: they were put aside, or dropped. */
  const setAside = new Set<string>()
  const enterAgain = createEnterAgain(() => view.print(ENTER_AGAIN, 'error'), terminal.whenRead)

  async function complete(): Promise<void> {
    const { draft } = editor
    const found = await completeDraft(draft, (before, word) => host.complete(before, word), draftUnits)
    if (editor.draft !== draft) return
    if (found.choices.length > 0) view.print(found.choices.join('  '), 'dim')
    editor = withDraft(editor, found.draft)
    view.draft(shownDraft(editor))
  }

  /** What sends a line, for the room that it was typed in. */
  function submitted(line: string): () => Promise<void> {
    const timesPutOut = host.timesPutOut()
    return () => submit(line, timesPutOut)
  }

  function tellFull(): void {
    if (isFullTold) return
    isFullTold = true
    view.bell()
    view.print(`! a draft has at most ${draftUnits} characters; the rest was left out`, 'error')
  }

  /** ^C with nothing typed: whoever pasted too much stops it so. */
  function interrupt(): void {
    const dropped = lines.drop()
    for (const line of dropped) setAside.add(line)
    if (dropped.length > 0) view.print(droppedLine(dropped.length), 'dim')
    else if (mayHint()) view.print(HOW_TO_LEAVE, 'dim')
  }

  /** Does what a key asks for; `sent` is the draft before it. */
  function act(event: EditorEvent, sent: Draft): void {
    switch (event.type) {
      case 'send':
        view.sent(sent)
        setAside.delete(event.line)
        return lines.add(event.line, submitted(event.line))
      case 'complete':
        return void (mayComplete() && trouble.during(complete))
      case 'stop':
        return void (mayStop() && trouble.during(() => host.stop()))
      case 'redraw':
        return view.redraw()
      case 'how-to-leave':
        return interrupt()
      case 'full':
        return tellFull()
      case 'leave':
    }
  }

  /** True for the rest of a paste that began before the person was put out: it belongs to the draft that was put aside. */
  function isForAside(key: Key): boolean {
    if (aside === undefined || key.type !== 'paste' || !key.on) {
      aside = undefined
      return false
    }
    const { text } = insert(draftOf(aside), key.text, draftUnits)
    if (text.length < aside.length + key.text.length) tellFull()
    editor = withMore(editor, aside, text.slice(aside.length))
    setAside.delete(aside)
    setAside.add(text)
    aside = text
    return true
  }

  /** True once the person leaves. A key that fails leaves the draft as it was. */
  function takeKey(key: Key): boolean {
    const { draft } = editor
    try {
      if (isForAside(key)) return false
      enterAgain.key(key)
      const step = press(editor, key, draftUnits)
      if (step.event?.type === 'send' && !enterAgain.passes(host.isSaid(step.event.line))) return false
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
    unsent() {
      const standing = unsentIn(editor)
      return {
        lines: [...setAside, ...standing.slice(0, -1), ...lines.waiting()],
        draft: standing.at(-1) ?? '',
      }
    },
    remember({ lines: before, draft }) {
      editor = withPast(editor, draft === undefined ? before : [...before, draft])
      if (draft !== undefined) view.print(DRAFT_KEPT, 'dim')
    },
    offer(draft) {
      editor = withLine(editor, draft)
      view.print(OTHER_DRAFT_KEPT, 'dim')
    },
    putAside() {
      const before = editor
      for (const line of unsentIn(before)) setAside.add(line)
      const { editor: emptied, typed } = putAside(before)
      aside = typed
      editor = emptied
      const isAside = emptied.sent !== before.sent
      if (isAside || lines.count() > 0) enterAgain.begin()
      view.draft(shownDraft(editor))
      if (isAside) view.print(PUT_ASIDE, 'error')
    },
    forget() {
      editor = withoutPast(editor)
      setAside.clear()
      view.draft(shownDraft(editor))
    },
    isFull: lines.isFull,
    allSubmitted: lines.allDone,
    take(keys: readonly Key[]): boolean {
      return keys.some((key) => {
        const before = editor
        const isLeaving = view.takes(key) && takeKey(key)
        // What the next key does may depend on what is shown.
        if (editor !== before) view.draft(shownDraft(editor))
        return isLeaving
      })
    },
  }
}

/** The draft after Tab, and what to show when several words would do. */
interface CompletedDraft {
  readonly draft: Draft
  readonly choices: readonly string[]
}

const MAX_CHOICES_SHOWN = 60

/** No longer word can be completed, in UTF-16 units. In a long text the search would take the square of its length. */
const MAX_WORD_UNITS = 256

/**
 * Completes the word before the cursor: by the one choice and a space, else as far as all agree. The draft
 * stays within `maxUnits` UTF-16 units. Rejects if `complete` does.
 */
export async function completeDraft(
  draft: Draft,
  complete: (textBeforeCursor: string, word: string) => Promise<readonly string[]>,
  maxUnits: number,
): Promise<CompletedDraft> {
  const before = draft.text.slice(0, draft.cursor)
  const word = /\S*$/u.exec(before.slice(-MAX_WORD_UNITS))?.[0] ?? ''
  const choices = await complete(before, word)
  const [first, ...others] = choices
  if (first === undefined) return { draft, choices: [] }
  const target = others.length === 0 ? `${first} ` : commonBeginning(first, others)
  if (others.length > 0 && (target === word || !startsWithWord(target, word)))
    return { draft, choices: shortened(choices) }
  const from = draft.cursor - word.length
  const cut = { text: draft.text.slice(0, from) + draft.text.slice(draft.cursor), cursor: from }
  return { draft: insert(cut, target, maxUnits), choices: [] }
}

function shortened(choices: readonly string[]): readonly string[] {
  if (choices.length <= MAX_CHOICES_SHOWN) return choices
  return [...choices.slice(0, MAX_CHOICES_SHOWN), `… ${choices.length - MAX_CHOICES_SHOWN} more`]
}

/** Choices may be spelled in another case than the word. */
const startsWithWord = (choice: string, word: string): boolean =>
  choice.toLowerCase().startsWith(word.toLowerCase())

function commonBeginning(first: string, others: readonly string[]): string {
  let { length } = first
  for (const other of others) {
    while (!other.startsWith(first.slice(0, length))) length--
  }
  return first.slice(0, codePointAt(first, length))
}
