import { counted } from '../../base/amounts.ts'
import { createTokenBucket, type Rate } from '../../base/token-bucket.ts'
import { codePointAt } from '../../base/text/characters.ts'
import { listChoices } from './choices.ts'
import { cut, type Draft, insert } from './edit-commands.ts'
import type { Key } from './keys.ts'
import {
  type EditorEvent,
  EMPTY_EDITOR,
  MAX_DRAFT_UNITS,
  press,
  shownDraft,
  unsentTexts,
  withDraft,
  withoutPast,
  withHistory,
} from './line-editor.ts'
import type { SavedInput } from '../ports.ts'
import type { OpenSession } from '../open-session.ts'

const ASK_RATE: Rate = { burst: 4, everyMs: 250 }

const HINT_RATE: Rate = { burst: 1, everyMs: 2_000 }

const HOW_TO_LEAVE = '-- ^D or /quit leaves; ^C clears what you typed, ^X stops what you started'
const DRAFT_KEPT = '-- your connection broke while you typed: ↑ brings your draft back'

/** The line editor of one session, and the effects of its keys. */
export class Keyboard {
  readonly #session: OpenSession
  readonly #mayComplete: () => boolean
  readonly #mayStop: () => boolean
  readonly #mayHint: () => boolean
  #editor = EMPTY_EDITOR
  #isFullTold = false

  constructor(session: OpenSession) {
    const { now } = session.shared
    this.#session = session
    this.#mayComplete = createTokenBucket(ASK_RATE, now)
    this.#mayStop = createTokenBucket(ASK_RATE, now)
    this.#mayHint = createTokenBucket(HINT_RATE, now)
  }

  /** Returns true once the person leaves. Ignores the keys after that. */
  take(keys: readonly Key[]): boolean {
    return keys.some((key) => {
      const before = this.#editor
      const isLeaving = this.#session.views.current.takes(key) && this.#takeKey(key)
      // What the next key does may depend on what is shown.
      if (this.#editor !== before) this.#show()
      return isLeaving
    })
  }

  restore({ lines, draft }: SavedInput): void {
    this.#editor = withHistory(this.#editor, draft === '' ? lines : [...lines, draft])
    if (draft !== '') this.#session.views.current.print(DRAFT_KEPT, 'dim')
  }

  forget(): void {
    this.#editor = withoutPast(this.#editor)
    this.#show()
  }

  /** Drops the queued lines, which were for the room, and keeps the draft. */
  kicked(): void {
    const count = this.#session.queue.drop()
    const told = `! ${counted(count, 'line')} not sent: you were put out of the room; ↑ brings back what you typed`
    if (count > 0) this.#session.views.current.print(told, 'error')
  }

  unsent(): SavedInput {
    const standing = unsentTexts(this.#editor)
    return {
      lines: [...standing.slice(0, -1), ...this.#session.queue.waiting],
      draft: standing.at(-1) ?? '',
    }
  }

  /** Returns true once the person leaves. Never throws. */
  #takeKey(key: Key): boolean {
    const typed = this.#editor.draft.text
    try {
      const { editor, event } = press(this.#editor, key, MAX_DRAFT_UNITS)
      if (event?.type !== 'full') this.#isFullTold = false
      this.#editor = editor
      if (event) this.#act(event, typed)
      return event?.type === 'leave'
    } catch (error) {
      this.#session.trouble.tell(error)
      return false
    }
  }

  #show(): void {
    this.#session.views.draft(shownDraft(this.#editor))
  }

  #act(event: EditorEvent, typed: string): void {
    const { views, queue, host, trouble } = this.#session
    switch (event.type) {
      case 'send':
        views.current.lineEntered(typed)
        return queue.add(event.line)
      case 'complete':
        return void (this.#mayComplete() && trouble.during(() => this.#complete()))
      case 'stop':
        return void (this.#mayStop() && trouble.during(() => host.stop()))
      case 'next-room':
        return void (this.#mayStop() && trouble.during(() => host.goNext()))
      case 'clear':
        return views.current.clear()
      case 'how-to-leave':
        return this.#interrupt()
      case 'full':
        return this.#tellFull()
      case 'leave':
    }
  }

  async #complete(): Promise<void> {
    const { host, views, terminal } = this.#session
    const { draft } = this.#editor
    const found = await completeDraft(draft, (before, word) => host.complete(before, word), MAX_DRAFT_UNITS)
    if (this.#editor.draft !== draft) return
    const window = terminal.size()
    // Plain views show no summaries: a screen reader would speak twenty sentences.
    const summaryOf = (choice: string) => (views.isPlain ? undefined : host.summaryOf(choice))
    if (found.choices.length > 0 && window)
      views.current.print(listChoices(found.choices, summaryOf, window), 'dim')
    this.#editor = withDraft(this.#editor, found.draft)
    this.#show()
  }

  #tellFull(): void {
    if (this.#isFullTold) return
    this.#isFullTold = true
    const { views } = this.#session
    views.current.bell()
    views.current.print(`! a draft has at most ${MAX_DRAFT_UNITS} characters; the rest was left out`, 'error')
  }

  /** ^C with nothing typed also stops a paste of many lines. */
  #interrupt(): void {
    const { views, queue } = this.#session
    const count = queue.drop()
    if (count > 0) views.current.print(droppedLines(count), 'dim')
    else if (this.#mayHint()) views.current.print(HOW_TO_LEAVE, 'dim')
  }
}

const droppedLines = (count: number): string =>
  count === 1
    ? '-- a line that waited is dropped: ↑ brings it back'
    : `-- ${count} lines that waited are dropped: ↑ brings them back`

/** A longer text would make the regular expression slow: its time is quadratic. */
const MAX_WORD_UNITS = 256

/** Completes the word before the cursor as far as all choices agree. Rejects if `complete` does. */
export async function completeDraft(
  draft: Draft,
  complete: (textBeforeCursor: string, word: string) => Promise<readonly string[]>,
  maxUnits: number,
): Promise<{ readonly draft: Draft; readonly choices: readonly string[] }> {
  const before = draft.text.slice(0, draft.cursor)
  const word = /\S*$/u.exec(before.slice(-MAX_WORD_UNITS))?.[0] ?? ''
  const choices = await complete(before, word)
  const [first, ...others] = choices
  if (first === undefined) return { draft, choices: [] }
  const target = others.length === 0 ? `${first} ` : commonBeginning(first, others)
  if (others.length > 0 && (target === word || !startsWithWord(target, word))) return { draft, choices }
  const from = draft.cursor - word.length
  return { draft: insert(cut(draft, from, draft.cursor), target, maxUnits), choices: [] }
}

const startsWithWord = (choice: string, word: string): boolean =>
  choice.toLowerCase().startsWith(word.toLowerCase())

function commonBeginning(first: string, others: readonly string[]): string {
  let { length } = first
  for (const other of others) {
    while (!other.startsWith(first.slice(0, length))) length--
  }
  return first.slice(0, codePointAt(first, length))
}
