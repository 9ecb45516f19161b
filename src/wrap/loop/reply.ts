import { cleanText } from '../../base/text/clean-text.ts'
import { headOf } from '../../base/text/characters.ts'

/** The limit of a reply's characters in all steps. A model that writes more is stopped. */
export const MAX_REPLY_CHARS = 65_536

/** A reply while a model writes it. Sanitizes each piece for the room, and the whole for the log. */
export interface Reply {
  /** Adds a piece, which may begin and end anywhere. False if the reply is full and the text was cut. */
  add(text: string): boolean
  nextStep(): void
  /** Takes back this step's text, which people may have seen, but which is not recorded. */
  unsay(): void
  /** Ends a part, and returns its text, sanitized and trimmed. Later text begins a new part. */
  take(): string
  isEmpty(): boolean
  /** Shows text that was held back. Returns the text of all parts, sanitized and trimmed. */
  finish(): string
}

/** `show` gets sanitized pieces in order. Holds back a step's text as long as it `isHeld`. */
export function createReply(
  show: (text: string) => void,
  isHeld: (text: string) => boolean = () => false,
): Reply {
  const parts: string[] = []
  let part: string[] = []
  /** The index in `part` at which the text of this step begins. */
  let stepStart = 0
  let length = 0
  let gap = ''
  let cleaner = createStreamCleaner(unlessHeld(show, isHeld))

  function take(): string {
    cleaner.flush()
    cleaner = createStreamCleaner(unlessHeld(show, isHeld))
    gap = ''
    const text = cleanText(part.join('')).trim()
    part = []
    stepStart = 0
    if (text !== '') parts.push(text)
    return text
  }

  return {
    take,
    add(text) {
      const left = MAX_REPLY_CHARS - length - gap.length
      const fitting = headOf(text, Math.max(0, left))
      if (fitting !== '') {
        part.push(gap, fitting)
        length += gap.length + fitting.length
        cleaner.push(gap + fitting)
        gap = ''
      }
      return text.length <= left
    },
    nextStep() {
      cleaner.flush()
      cleaner = createStreamCleaner(unlessHeld(show, isHeld))
      stepStart = part.length
      gap = part.length > 0 ? '\n\n' : ''
    },
    unsay() {
      part.length = stepStart
      gap = part.length > 0 ? '\n\n' : ''
    },
    isEmpty: () => length === 0,
    finish() {
      take()
      return parts.join('\n\n')
    },
  }
}

function unlessHeld(show: (text: string) => void, isHeld: (text: string) => boolean) {
  let held: string | undefined = ''
  return (text: string): void => {
    if (held === undefined) return show(text)
    held += text
    if (isHeld(held)) return
    show(held)
    held = undefined
  }
}

/** A line's characters kept as context for its next piece, which may continue an escape sequence or emoji. */
const MAX_CONTEXT_CHARS = 256

/** An end that waits for the next piece: half a character or line end, or an unfinished escape sequence. */
const UNFINISHED = /(?:[\uD800-\uDBFF]|\r|[\u001b\u0090\u0098\u009b\u009d-\u009f][^\n]*)$/

/** Sanitizes pieces with their line so far, so that together they equal the whole text sanitized at once. */
export function createStreamCleaner(show: (text: string) => void) {
  let line = ''
  let shown = 0

  function showUpTo(end: number): void {
    const clean = cleanText(line.slice(0, end))
    if (clean.length > shown) show(clean.slice(shown))
    shown = Math.max(shown, clean.length)
    if (end <= MAX_CONTEXT_CHARS && line[end - 1] !== '\n') return
    line = line.slice(end)
    shown = 0
  }

  return {
    push(piece: string): void {
      line += piece
      const waiting = UNFINISHED.exec(line)?.[0].length ?? 0
      showUpTo(line.length - (waiting > MAX_CONTEXT_CHARS ? 0 : waiting))
    },
    flush: (): void => showUpTo(line.length),
  }
}
